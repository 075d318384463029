import type { Context } from "ponder:registry";
import type { Address } from "viem";
import type { Ensv2List } from "../../../abis/ensv2.ts";
import type { PriceFeed } from "../../../abis/priceFeed.ts";

/** A contract entry on the event's chain, as configured; undefined for contracts that the chain does not have. */
type Configured =
  | {
      abi: readonly unknown[];
      address: Address | readonly Address[] | undefined;
      startBlock: number | undefined;
    }
  | undefined;

/** The configuration is built at the start, so its type does not have the addresses of contracts. */
const configured = (context: Context, name: keyof Context["contracts"]): Configured =>
  context.contracts[name] as unknown as Configured;

/** Addresses of a contract entry on the event's chain, in lower case; none if the chain does not have it. */
export function addressesOf(context: Context, name: keyof Context["contracts"]): readonly Address[] {
  const address = configured(context, name)?.address;
  if (address === undefined) return [];
  return typeof address === "string" ? [address] : address;
}

/** An item of an entry's ABI that tells handlers something else: `ponder.config.ts` writes it as an error. */
const itemOf = (context: Context, entry: keyof Context["contracts"], item: string): ListItem | undefined =>
  (configured(context, entry)?.abi as readonly ListItem[] | undefined)?.find(
    ({ type, name }) => type === "error" && name === item,
  );

/** Addresses that the deployment lists and whose logs are not indexed, in lower case. */
export const addressesIn = (context: Context, list: Ensv2List): readonly Address[] =>
  itemOf(context, "Ensv2RootRegistry", list)?.inputs.map(({ name }) => name) ?? [];

/** Whether a resolver of the main chain answers exactly what its logs said. */
export const isStaticResolver = (context: Context, resolver: Address): boolean =>
  itemOf(context, "ListedResolver", "staticResolvers")?.inputs.some(({ name }) => name === resolver) ?? false;

const feeds = new WeakMap<object, PriceFeed>();

/** The price feed that the deployment tells of, on the event's chain; undefined if the chain has none. */
export function priceFeedOf(context: Context): PriceFeed | undefined {
  const item = itemOf(context, "PriceFeed", "PriceFeed");
  if (item === undefined) return undefined;
  const known = feeds.get(item);
  if (known !== undefined) return known;
  const feed = JSON.parse(item.inputs[0]?.name ?? "null") as PriceFeed;
  feeds.set(item, feed);
  return feed;
}

type ListItem = { type: string; name: string; inputs: readonly { name: Address }[] };

/** Entries of controllers that the deployment lists. */
const listedControllers = [
  ...(["LegacyController1", "LegacyController2", "LegacyController3"] as const),
  ...(["WrappedController", "UnwrappedController", "BasenamesController", "LineanamesController"] as const),
] satisfies (keyof Context["contracts"])[];

/** Whether the deployment lists a controller, so that an entry of its own handles its logs. */
export const isListedController = (context: Context, address: Address): boolean =>
  listedControllers.some((name) => addressesOf(context, name).includes(address));

/** First block of a contract entry on the event's chain; undefined if the chain does not have it. */
export const startBlockOf = (context: Context, name: keyof Context["contracts"]): number | undefined =>
  configured(context, name)?.startBlock;

/**
 * Whether the handler may read a contract's state at the event's block. The setting ARCHIVE_READS reaches handlers as
 * read functions in the contract's ABI, because the configuration is part of the index's identity and the environment
 * is not.
 */
export const mayRead = (context: Context, name: keyof Context["contracts"]): boolean =>
  configured(context, name)?.abi.some((item) => (item as { type: string }).type === "function") ?? false;
