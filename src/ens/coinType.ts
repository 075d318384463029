import type { Hex } from "viem";
import { childNode, labelhash, ROOT_NODE } from "./name.ts";

/** Coin type of Ethereum, under which `addr.reverse` names addresses. Source: SLIP-44, ENSIP-19. */
export const ETHEREUM_COIN_TYPE = 60n;

/** Stands for every EVM chain without a record or name of its own. Source: ENSIP-19. */
export const DEFAULT_COIN_TYPE = 0x80000000n;

/** Coin type of an EVM chain other than Ethereum. Source: ENSIP-11. */
export const coinTypeOfChain = (chainId: number): bigint => DEFAULT_COIN_TYPE | BigInt(chainId);

/** Parent of the reverse nodes of addresses of an EVM chain: `80002105.reverse` for Base. Source: ENSIP-19. */
export const reverseNodeOf = (coinType: bigint): Hex =>
  childNode(childNode(ROOT_NODE, labelhash("reverse")), labelhash(coinType.toString(16)));

/** Whether addresses of this coin type are those of an EVM chain. Source: ENSIP-11. */
export const isEvmCoinType = (coinType: bigint): boolean =>
  coinType === ETHEREUM_COIN_TYPE || coinType >= DEFAULT_COIN_TYPE;
