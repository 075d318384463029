import {
  lookup,
  type ManyAddresses,
  type ManyInputs,
  type ManyNames,
  primaryNames,
  whoisMany,
} from "./bulk.ts";
import { type ChangesOf, readChanges } from "./changes.ts";
import { checkUrl } from "./connect.ts";
import type { Change } from "./openapi/types.gen.ts";
import {
  type Answer,
  type CallOptions,
  createOperations,
  type NamedexConfig,
  type Operations,
} from "./operations.ts";
import { type ItemOf, type PagedOperation, type PagedParameters, readItems, readPages } from "./pages.ts";
import { type AddressQuestions, type NameQuestions, questionsOfAddress, questionsOfName } from "./people.ts";

/** What a list takes: nothing where all of its parameters may be left out. */
type ListGiven<Name extends PagedOperation> =
  Record<string, never> extends PagedParameters<Name>
    ? [parameters?: PagedParameters<Name>, options?: CallOptions]
    : [parameters: PagedParameters<Name>, options?: CallOptions];

/** A Namedex, typed: methods for what people ask, one method for each operation, and some for more than one request. */
export type Namedex = Operations & {
  /**
   * What can be asked of one name.
   *
   * @example
   * const { texts } = await namedex.name("alice.eth").records();
   */
  readonly name: (name: string) => NameQuestions;
  /**
   * What can be asked of one address.
   *
   * @example
   * for await (const { name } of namedex.address("0x7099…").names()) console.log(name);
   */
  readonly address: (address: string) => AddressQuestions;
  /**
   * The address of a name's picture, for `<img src>`. It asks nothing.
   *
   * @example
   * img.src = namedex.avatarUrl("alice.eth"); // https://names.example.org/avatar/alice.eth
   */
  readonly avatarUrl: (name: string) => string;
  /**
   * Everything about any number of names: as `postWhoisBulk`, in as few requests as possible.
   *
   * @example
   * const { results } = await namedex.whoisMany({ names });
   */
  readonly whoisMany: (items: ManyNames, options?: CallOptions) => Promise<Answer<"postWhoisBulk">>;
  /**
   * Names, namehashes and addresses, any number of them: as `postLookup`, in as few requests as possible. What one answer has no
   * room for is asked for again. Results stand at the places of their inputs, and `kind` tells which fields each has.
   *
   * @example
   * const { results } = await namedex.lookup({ inputs: ["alice.eth", "0x7099…"], records: {} });
   * for (const result of results) {
   *   if (result.kind === "name") console.log(result.domain.known, result.records?.texts);
   *   if (result.kind === "address") console.log(result.primary_names);
   * }
   */
  readonly lookup: (inputs: ManyInputs, options?: CallOptions) => Promise<Answer<"postLookup">>;
  /**
   * The primary names of any number of addresses: as `postAddressPrimaryNamesBulk`, in as few requests as possible.
   * `results` is keyed by address in EIP-55 capitals, in whatever case it was given.
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
    ...given: ListGiven<Name>
  ) => AsyncGenerator<Answer<Name>, void, undefined>;
  /**
   * Every result of an operation that answers in pages, one after the other.
   *
   * @example
   * for await (const { name } of namedex.items("getSearchDomains", { q: "ali" })) console.log(name);
   */
  readonly items: <Name extends PagedOperation>(
    operation: Name,
    ...given: ListGiven<Name>
  ) => AsyncGenerator<ItemOf<Name>, void, undefined>;
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
  const { operations, askJson } = createOperations(config);
  const items: Namedex["items"] = (operation, ...[parameters, options]) =>
    readItems(askJson, operation, parameters, options);
  const sources = { operations, items: items as never };
  return {
    ...operations,
    name: (name) => questionsOfName(sources, name),
    address: (address) => questionsOfAddress(sources, address),
    avatarUrl: (name) => `${checkUrl(config.url).replace(/\/$/, "")}/avatar/${encodeURIComponent(name)}`,
    whoisMany: (items, options) => whoisMany(operations, items, options),
    lookup: (inputs, options) => lookup(operations, inputs, options),
    primaryNames: (items, options) => primaryNames(operations, items, options),
    pages: (operation, ...[parameters, options]) => readPages(askJson, operation, parameters, options),
    items,
    changes: (asked, options) => readChanges(config, asked, options),
  };
}
