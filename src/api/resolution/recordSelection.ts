import { coinTypeOfChain, ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import type { Ctx } from "../http/context.ts";
import { listKnownRecords } from "../query/records.ts";
import { allChains } from "../query/scope.ts";
import type { RecordSelector } from "./chain.ts";

/**
 * Text records that are read from the chain for every name, because keys cannot be listed there: ENSIP-5 (general and
 * service keys), ENSIP-18 (`header`), ENSIP-26 (agents), and other keys that profiles commonly have.
 */
export const usualTextKeys = [
  ...["avatar", "description", "display", "email", "header", "keywords", "location", "mail", "name"],
  ...["notice", "phone", "url", "com.discord", "com.github", "com.linkedin", "com.twitter", "com.x"],
  ...["io.keybase", "org.telegram", "agent-context", "agent-endpoint[a2a]", "agent-endpoint[mcp]"],
  "agent-endpoint[web]",
] as const;

/** Coin types whose addresses are read from the chain for every name: Ethereum, Bitcoin, Solana, OP Mainnet, Base, Arbitrum. */
export const usualCoinTypes = [ETHEREUM_COIN_TYPE, 0n, 501n, ...[10, 8_453, 42_161].map(coinTypeOfChain)];

/** Kinds of records that a caller may choose from. */
export type RecordType = "text" | "addr" | "contenthash";

/** The usual records of these kinds, and all that events ever named for the name. */
export const allRecords =
  ({ db, contracts }: Ctx, types: readonly RecordType[]): RecordSelector =>
  async (node) => {
    const known = await listKnownRecords(db, { chains: allChains(contracts), node });
    return {
      coinTypes: types.includes("addr") ? [...new Set([...usualCoinTypes, ...known.coinTypes])] : [],
      contenthash: types.includes("contenthash"),
      texts: types.includes("text") ? [...new Set([...usualTextKeys, ...known.keys])] : [],
    };
  };

/** One text record. */
export const oneText =
  (key: string): RecordSelector =>
  async () => ({ coinTypes: [], contenthash: false, texts: [key] });
