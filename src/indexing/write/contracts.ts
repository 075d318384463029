import type { Context } from "ponder:registry";
import type { Address } from "viem";

/** What the configuration says of a contract on the event's chain; contracts that the chain lacks are undefined. */
type Configured =
  | {
      abi: readonly unknown[];
      address: Address | readonly Address[] | undefined;
      startBlock: number | undefined;
    }
  | undefined;

/** The configuration is put together at the start, so its type cannot tell the places of contracts. */
const configured = (context: Context, name: keyof Context["contracts"]): Configured =>
  context.contracts[name] as unknown as Configured;

/** Addresses of a contract entry on the event's chain, lower case; none if the chain lacks it. */
export function addressesOf(context: Context, name: keyof Context["contracts"]): readonly Address[] {
  const address = configured(context, name)?.address;
  if (address === undefined) return [];
  return typeof address === "string" ? [address] : address;
}

/** First block of a contract entry on the event's chain; undefined if the chain lacks it. */
export const startBlockOf = (context: Context, name: keyof Context["contracts"]): number | undefined =>
  configured(context, name)?.startBlock;

/**
 * Whether the handler may read a contract's state at the event's block. The switch ARCHIVE_READS reaches handlers as
 * read functions in the contract's ABI, because the configuration is part of the index's identity and the environment
 * is not.
 */
export const mayRead = (context: Context, name: keyof Context["contracts"]): boolean =>
  configured(context, name)?.abi.some((item) => (item as { type: string }).type === "function") ?? false;
