import { type ManyAddresses, type ManyNames, primaryNames, whoisMany } from "./bulk.ts";
import { type ChangesOf, readChanges } from "./changes.ts";
import type { Change } from "./openapi/types.gen.ts";
import {
  type Answer,
  type CallOptions,
  createOperations,
  type NamedexConfig,
  type OperationParameters,
  type Operations,
} from "./operations.ts";
import { type PagedOperation, readPages } from "./pages.ts";

/** A Namedex, typed: one method for each operation, and four for what takes more than one request. */
export type Namedex = Operations & {
  /**
   * Everything about any number of names: as `postWhoisBulk`, in as few requests as possible.
   *
   * @example
   * const { results } = await namedex.whoisMany({ names });
   */
  readonly whoisMany: (items: ManyNames, options?: CallOptions) => Promise<Answer<"postWhoisBulk">>;
  /**
   * The primary names of any number of addresses: as `postAddressPrimaryNamesBulk`, in as few requests as possible.
   *
   * @example
   * const { results } = await namedex.primaryNames({ addresses });
   */
  readonly primaryNames: (
    items: ManyAddresses,
    options?: CallOptions,
  ) => Promise<Answer<"postAddressPrimaryNamesBulk">>;
  /**
   * Every page of an operation that answers in pages.
   *
   * @example
   * for await (const { results } of namedex.pages("getSearchDomains", { q: "ali" })) console.log(results);
   */
  readonly pages: <Name extends PagedOperation>(
    operation: Name,
    parameters: Omit<OperationParameters<Name>, "page"> & { page?: number },
    options?: CallOptions,
  ) => AsyncGenerator<Answer<Name>, void, undefined>;
  /**
   * Changes as they come, without end; it connects again by itself and leaves out none. Store the `position` of the last
   * one that you have worked on, and give it as `after` the next time.
   *
   * @example
   * for await (const change of namedex.changes({ name: "alice.eth" })) console.log(change.type, change.new_value);
   */
  readonly changes: (asked?: ChangesOf, options?: CallOptions) => AsyncGenerator<Change, void, undefined>;
};

/**
 * A client of the Namedex at `url`.
 *
 * @example
 * const namedex = createNamedex({ url: "https://names.example.org" });
 * const alice = await namedex.getWhoisByName({ name: "alice.eth" });
 */
export function createNamedex(config: NamedexConfig): Namedex {
  const operations = createOperations(config);
  return {
    ...operations,
    whoisMany: (items, options) => whoisMany(operations, items, options),
    primaryNames: (items, options) => primaryNames(operations, items, options),
    pages: (operation, parameters, options) =>
      readPages(operations, operation, parameters as OperationParameters<typeof operation>, options),
    changes: (asked, options) => readChanges(config, asked, options),
  };
}
