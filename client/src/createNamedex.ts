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

/** The arguments of a list: optional if all its parameters are. */
type ListGiven<Name extends PagedOperation> =
  Record<string, never> extends PagedParameters<Name>
    ? [parameters?: PagedParameters<Name>, options?: CallOptions]
    : [parameters: PagedParameters<Name>, options?: CallOptions];

/**
 * A typed client: methods for names and addresses, one per operation, and some that send several requests. All reject with a
 * `NamedexError`, or with the reason of an aborted `signal`.
 */
export type Namedex = Operations & {
  /**
   * Requests about one name. Creating it sends nothing.
   *
   * @example
   * const { texts } = await namedex.name("alice.eth").records();
   */
  readonly name: (name: string) => NameQuestions;
  /**
   * Requests about one address. Creating it sends nothing.
   *
   * @example
   * for await (const { name } of namedex.address("0x7099…").names()) console.log(name);
   */
  readonly address: (address: string) => AddressQuestions;
  /**
   * The URL of a name's picture, for `<img src>`. It sends nothing.
   *
   * @example
   * img.src = namedex.avatarUrl("alice.eth"); // https://names.example.org/avatar/alice.eth
   */
  readonly avatarUrl: (name: string) => string;
  /**
   * Everything about any number of names: `postWhoisBulk` in as few requests as possible. Results keep the order of the names,
   * then namehashes. An invalid item has its error in its place.
   *
   * @example
   * const { results } = await namedex.whoisMany({ names });
   */
  readonly whoisMany: (items: ManyNames, options?: CallOptions) => Promise<Answer<"postWhoisBulk">>;
  /**
   * Any number of names, namehashes and addresses: `postLookup` in as few requests as possible. What does not fit into an answer
   * is requested again. Results keep the order of the inputs, and `kind` determines the fields of each.
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
   * The primary names of any number of addresses: `postAddressPrimaryNamesBulk` in as few requests as possible. `results` is
   * keyed by checksummed address (EIP-55), whatever the case of the input.
   *
   * @example
   * const { results } = await namedex.primaryNames({ addresses });
   */
  readonly primaryNames: (
    items: ManyAddresses,
    options?: CallOptions,
  ) => Promise<Answer<"postAddressPrimaryNamesBulk">>;
  /**
   * Every page of a list. A page is requested when the loop reaches it.
   *
   * @example
   * for await (const { results } of namedex.pages("getSearchDomains", { q: "ali" })) console.log(results);
   */
  readonly pages: <Name extends PagedOperation>(
    operation: Name,
    ...given: ListGiven<Name>
  ) => AsyncGenerator<Answer<Name>, void, undefined>;
  /**
   * Every result of a list, in order. A page is requested when the loop reaches it.
   *
   * @example
   * for await (const { name } of namedex.items("getSearchDomains", { q: "ali" })) console.log(name);
   */
  readonly items: <Name extends PagedOperation>(
    operation: Name,
    ...given: ListGiven<Name>
  ) => AsyncGenerator<ItemOf<Name>, void, undefined>;
  /**
   * Changes as they happen, without end. It reconnects by itself and skips none. Store the `position` of the last change you
   * have processed, and pass it as `after` next time. Throws `PositionGoneError` if that is too long ago.
   *
   * @example
   * for await (const change of namedex.changes({ name: "alice.eth" })) console.log(change.type, change.new_value);
   */
  readonly changes: (asked?: ChangesOf, options?: CallOptions) => AsyncGenerator<Change, void, undefined>;
};

/**
 * Creates a client for the Namedex at `url`. It sends nothing until a method is called.
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
