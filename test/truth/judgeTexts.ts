import type { Hex } from "viem";
import { shownText, type TextBytes } from "./chainLogs.ts";
import type { Judge } from "./judge.ts";
import type { Ledger } from "./ledger.ts";
import { plain, type Row, show } from "./oracle.ts";

/** The history of each text record of a name. */
export async function judgeTexts(judge: Judge, path: string, ledger: Ledger): Promise<void> {
  if (!judge.isIndexed(ledger.resolvers.at(-1)?.state ?? null)) return; // The chain's name in such a text.
  for (const key of keysOf(ledger)) await judgeText(judge, path, ledger, key);
}

/** Keys of text records that can be requested: within the API's limit, and of bytes that a URL can spell. */
const keysOf = ({ logs }: Ledger): string[] =>
  [
    ...new Set(
      logs
        .filter(({ eventName }) => eventName === "TextChanged")
        .map(({ args }) => shownText(args.key as TextBytes)),
    ),
  ].filter((key) => key !== "" && key.length <= 1_024 && !key.includes("\ufffd"));

/**
 * The changes of a text by each transaction, with clearings and new resolvers in one line; only the resolver in force counts, if
 * it is an indexed one.
 */
async function judgeText({ get, same, isIndexed }: Judge, path: string, ledger: Ledger, key: string) {
  const answer = await get(`/domain/${path}/records/text/${encodeURIComponent(key)}/history`);
  const resolverLogs = new Map(ledger.resolvers.map(({ log, state }) => [log, state]));
  const expected: Row[] = [];
  let active: Hex | null = null;
  for (const log of ledger.logs) {
    const place = { block_number: log.blockNumber };
    if (resolverLogs.has(log)) {
      active = resolverLogs.get(log) ?? null;
      if (expected.length > 0) expected.push({ value: null, ...place, source: "resolver_change" });
      continue;
    }
    const isText = log.eventName === "TextChanged" && shownText(log.args.key as TextBytes) === key;
    const isClearing = log.eventName === "VersionChanged" && expected.length > 0;
    if (log.address !== active || !isIndexed(active) || !(isText || isClearing)) continue;
    const said = log.args.value as TextBytes | undefined;
    const value = isClearing ? null : said === undefined ? UNTOLD : beginningOf(shownText(said)) || null;
    // Values that held only within a transaction are not part of the history.
    const last = expected.at(-1);
    if (last?.transaction_hash === log.transactionHash) expected.pop();
    if (isClearing && expected.length === 0) continue;
    expected.push({
      value,
      ...place,
      source: "indexed",
      resolver: log.address,
      transaction_hash: log.transactionHash,
    });
  }
  const history = ((answer.history ?? []) as Row[]).toReversed();
  const answered = history.map(({ value, block_number, source, resolver, transaction_hash }, i) => ({
    value: expected[i]?.value === UNTOLD ? UNTOLD : value,
    block_number,
    source,
    ...(resolver !== undefined && { resolver: plain(resolver), transaction_hash }),
  }));
  same(`text ${show(key)} of ${path}`, answered, expected);
}

/** Histories show the first 1,024 characters of a text. */
const beginningOf = (text: string): string => [...text].slice(0, 1_024).join("");

/** Stands for a value that its log lacks; the records' judge asks the resolver for it. */
const UNTOLD = "(not in the log)";
