import type { Address } from "viem";
import type { Rpc } from "./rpc.ts";

/** What calls of contracts need: nodes, the contract that makes many calls at once, and when to end. */
export type ContractReach = { rpc: Rpc; multicall3: Address; signal: AbortSignal };
