import type { Hex } from "viem";
import { coinTypeOfChain, ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import type { Ctx } from "../../server/http/context.ts";
import { chunksOf } from "../../server/scheduling/chunks.ts";
import { listKnownRecords } from "../query/records.ts";
import { allChains } from "../query/scope.ts";
import type { RecordsAsked } from "../schemas/recordChoice.ts";
import type { RecordSelector } from "./chain.ts";

/**
 * Text records read from the chain for every name, because keys cannot be listed there: ENSIP-5 (general and service keys),
 * ENSIP-18 (`header`), ENSIP-26 (agents), and other keys common in profiles.
 */
export const usualTextKeys = [
  "avatar",
  "description",
  "display",
  "email",
  "header",
  "keywords",
  "location",
  "mail",
  "name",
  "notice",
  "phone",
  "url",
  "com.discord",
  "com.github",
  "com.linkedin",
  "com.twitter",
  "com.x",
  "io.keybase",
  "org.telegram",
  "agent-context",
  "agent-endpoint[a2a]",
  "agent-endpoint[mcp]",
  "agent-endpoint[web]",
] as const;

/** Coin types whose addresses are read from the chain for every name: Ethereum, Bitcoin, Solana, OP Mainnet, Base, Arbitrum. */
export const usualCoinTypes = [ETHEREUM_COIN_TYPE, 0n, 501n, ...[10, 8_453, 42_161].map(coinTypeOfChain)];

/** Names whose known keys are read in one statement. */
const NODES_AT_ONCE = 100;

/**
 * Selects the requested records to read from the chain: those named in the request, or the usual ones and all that events ever
 * named for the name. The selections of many names are read together.
 */
export function selectorOf(
  { db, contracts }: Pick<Ctx, "db" | "contracts">,
  { types, keys, coinTypes }: RecordsAsked,
): RecordSelector {
  const chains = allChains(contracts);
  const known = together((nodes: readonly Hex[]) => listKnownRecords(db, { chains, nodes }), NODES_AT_ONCE);
  const isListed = (types.includes("text") && !keys) || (types.includes("addr") && !coinTypes);
  return async (node) => {
    const found = isListed ? await known(node) : { keys: [], coinTypes: [] };
    const allTexts = [...new Set([...usualTextKeys, ...found.keys])];
    const allCoins = [...new Set([...usualCoinTypes, ...found.coinTypes])];
    return {
      coinTypes: types.includes("addr") ? (coinTypes ?? allCoins) : [],
      contenthash: types.includes("contenthash"),
      texts: types.includes("text") ? (keys ?? allTexts) : [],
    };
  };
}

/** The same for an answer that also contains the name's domain record, and may need its Ethereum address. */
export function selectorForRecord(
  ctx: Pick<Ctx, "db" | "contracts">,
  asked: RecordsAsked,
  needs: { address: boolean },
): RecordSelector {
  const select = selectorOf(ctx, asked);
  return async (node) => {
    const { texts, coinTypes, ...others } = await select(node);
    const coins = needs.address ? [...coinTypes, ETHEREUM_COIN_TYPE] : coinTypes;
    return { ...others, texts: [...new Set([...texts, "display"])], coinTypes: [...new Set(coins)] };
  };
}

/** The records needed for a name's picture: its avatar, and the address that has to own it if it is a token. */
export const avatarRecords = {
  types: ["text", "addr"],
  keys: ["avatar"],
  coinTypes: [ETHEREUM_COIN_TYPE],
  cleared: false,
} as const satisfies RecordsAsked;

/** Selects one text record. */
export const oneText =
  (key: string): RecordSelector =>
  async () => ({ coinTypes: [], contenthash: false, texts: [key] });

/**
 * Turns a function that reads many values at once into one that reads a single value. Calls in the same turn of the event loop
 * are combined, `most` at a time, in their order.
 */
function together<Key, Value>(
  readMany: (keys: readonly Key[]) => Promise<readonly Value[]>,
  most: number,
): (key: Key) => Promise<Value> {
  let waiting: { key: Key; resolve: (value: Value) => void; reject: (error: unknown) => void }[] = [];
  const readAll = async () => {
    const all = waiting;
    waiting = [];
    for (const some of chunksOf(all, most)) {
      const values = readMany(some.map(({ key }) => key));
      await values.then(
        (read) => some.forEach(({ resolve }, i) => void resolve(read[i] as Value)),
        (error) => some.forEach(({ reject }) => void reject(error)),
      );
    }
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) queueMicrotask(() => void readAll());
    });
}
