import { type Hex, zeroAddress } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import type { Ctx } from "../../server/http/context.ts";
import { listAddresses } from "../query/primaryNames.ts";
import type { DomainState } from "./domainState.ts";
import { type RecordsKey, recordsOf } from "./ensv2/ensv2Records.ts";

/** Finds the indexed address of a name for a coin type; null if it has none. */
export type AddressOf = (state: DomainState, coinType: bigint) => Hex | null;

/** Reads the indexed addresses of names for some coin types, in one statement. */
export async function readAddresses(
  { db, contracts }: Ctx,
  states: readonly DomainState[],
  coinTypes: readonly bigint[],
): Promise<AddressOf> {
  const keys = states.flatMap((state) => recordsOf(state) ?? []);
  const rows = await listAddresses(db, keys, [...new Set([DEFAULT_COIN_TYPE, ...coinTypes])]);
  const textOf = (key: RecordsKey, coinType: bigint) =>
    `${key.chainId} ${key.resolver} ${key.node} ${coinType}`;
  const addressOf = new Map(rows.map((row) => [textOf(row, row.coinType), row.address]));
  return (state, coinType) => {
    const key = recordsOf(state);
    if (key === null) return null;
    const own = addressOf.get(textOf(key, coinType)) ?? null;
    if (own !== null || !hasDefaultAddress(state.node, key, contracts)) return own;
    return addressOf.get(textOf(key, DEFAULT_COIN_TYPE)) ?? null;
  };
}

/** The indexed Ethereum addresses of names, in their order; null for a name without one. */
export async function listEthereumAddresses(
  ctx: Ctx,
  states: readonly DomainState[],
): Promise<(Hex | null)[]> {
  const addressOf = await readAddresses(ctx, states, [ETHEREUM_COIN_TYPE]);
  return states.map((state) => {
    const address = addressOf(state, ETHEREUM_COIN_TYPE);
    return address === zeroAddress ? null : address;
  });
}

/** True if a resolver returns the default address (ENSIP-19): ENSv2 resolvers with numbered records do, and some of ENSv1. */
export const hasDefaultAddress = (node: Hex, key: RecordsKey, contracts: Contracts): boolean =>
  key.node !== node || contracts.answersDefaultAddress(key.resolver, key.chainId);
