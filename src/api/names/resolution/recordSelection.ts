import { coinTypeOfChain, ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import type { Ctx } from "../../server/http/context.ts";
import { listKnownRecords } from "../query/records.ts";
import { allChains } from "../query/scope.ts";
import type { RecordsAsked } from "../schemas/recordChoice.ts";
import { type RecordSelector, sameRecords } from "./chain.ts";

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

/**
 * Selects the requested records to read from the chain: those named in the request, or the usual ones and all that events ever
 * named for the name.
 */
export function selectorOf(
  { db, contracts }: Pick<Ctx, "db" | "contracts">,
  { types, keys, coinTypes }: RecordsAsked,
): RecordSelector {
  const chains = allChains(contracts);
  const isListed = (types.includes("text") && !keys) || (types.includes("addr") && !coinTypes);
  return async (nodes) => {
    const known = isListed ? await listKnownRecords(db, { chains, nodes }) : [];
    return nodes.map((_, i) => {
      const allTexts = [...new Set([...usualTextKeys, ...(known[i]?.keys ?? [])])];
      const allCoins = [...new Set([...usualCoinTypes, ...(known[i]?.coinTypes ?? [])])];
      return {
        coinTypes: types.includes("addr") ? (coinTypes ?? allCoins) : [],
        contenthash: types.includes("contenthash"),
        texts: types.includes("text") ? (keys ?? allTexts) : [],
      };
    });
  };
}

/** The same for an answer that also contains the name's domain record, and may need its Ethereum address. */
export function selectorForRecord(
  ctx: Pick<Ctx, "db" | "contracts">,
  asked: RecordsAsked,
  needs: { address: boolean },
): RecordSelector {
  const select = selectorOf(ctx, asked);
  return async (nodes) =>
    (await select(nodes)).map(({ texts, coinTypes, ...others }) => {
      const coins = needs.address ? [...coinTypes, ETHEREUM_COIN_TYPE] : coinTypes;
      return { ...others, texts: [...new Set([...texts, "display"])], coinTypes: [...new Set(coins)] };
    });
}

/** Selects one text record. */
export const oneText = (key: string): RecordSelector =>
  sameRecords({ coinTypes: [], contenthash: false, texts: [key] });
