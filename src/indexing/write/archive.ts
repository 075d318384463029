import type { Context } from "ponder:registry";
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  type Hex,
} from "viem";
import { rentPriceAbi } from "../../../abis/controllers.ts";
import { archiveReadsAbi } from "../../../abis/resolver.ts";
import { textOfBytes } from "../../ens/utf8.ts";

/**
 * What a contract answers at the event's block, after all of the block's transactions; undefined if it reverts or
 * answers nothing. If the node fails, this throws, so that the indexer tries again.
 */
async function unlessReverted<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    const refused =
      error instanceof BaseError &&
      error.walk(
        (e) => e instanceof ContractFunctionRevertedError || e instanceof ContractFunctionZeroDataError,
      );
    if (refused) return undefined;
    throw error;
  }
}

/** A record of text at a resolver; undefined if the resolver does not answer. */
export async function readRecord(
  context: Context,
  address: Address,
  record:
    | { functionName: "text"; args: readonly [Hex, string] }
    | { functionName: "name"; args: readonly [Hex] },
): Promise<string | undefined> {
  const read = { abi: archiveReadsAbi, address, retryEmptyResponse: false } as const;
  const bytes = await unlessReverted<Hex>(context.client.readContract({ ...read, ...record }));
  return bytes && textOfBytes(bytes);
}

/** A controller's price in wei, without premium, for some seconds of a .eth name. */
export async function readRent(
  context: Context,
  controller: Address,
  label: string,
  durationSeconds: bigint,
): Promise<bigint | undefined> {
  const price = await unlessReverted(
    context.client.readContract({
      abi: rentPriceAbi,
      address: controller,
      functionName: "rentPrice",
      args: [label, durationSeconds],
      retryEmptyResponse: false,
    }),
  );
  return price?.base;
}
