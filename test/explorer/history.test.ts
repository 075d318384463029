import { domain, event } from "ponder:schema";
import { namehash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { account, CHAIN_ID, registeredRow, STATIC_RESOLVER } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";
import { serveExplorer } from "./statisticsPages.ts";

const NOW = 1_800_000_000;
/** More than the operation returns at once. */
const LOGS = 1_120;

let tables: Tables;
let served: Awaited<ReturnType<typeof serveExplorer>>;
beforeAll(async () => {
  tables = await createTables();
  await tables.writer
    .insert(domain)
    .values([registeredRow("alice.eth", account(0xa11ce), BigInt(NOW + 1_000))]);
  await tables.writer.insert(event).values(
    Array.from({ length: LOGS }, (_, i) => ({
      chainId: CHAIN_ID,
      blockNumber: i + 1,
      blockTimestamp: 1_700_000_000 + i,
      logIndex: 0,
      ordinal: 0,
      transactionHash: `0x${"ab".repeat(32)}` as const,
      contract: "RESOLVER",
      contractAddress: STATIC_RESOLVER,
      eventType: "TextChanged",
      node: namehash("alice.eth"),
      key: "url",
      value: `value ${i}`,
    })),
  );
  served = await serveExplorer(tables, NOW);
});
afterAll(async () => {
  await served?.close();
  await tables?.drop();
});

test("a name's logs continue by cursor to the first one, each once", async () => {
  const seen: string[] = [];
  let url: string | undefined = "explore/name/alice.eth?view=history&kind=log";
  for (let pages = 0; url !== undefined; pages++) {
    expect(pages).toBeLessThan(LOGS);
    const reply = await fetch(`${served.url}/${url}`);
    const text = await reply.text();
    expect(reply.status, text).toBe(200);
    seen.push(...[...text.matchAll(/>value (\d+)</g)].map(([, number]) => number ?? ""));
    url = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  }
  expect(seen).toEqual(Array.from({ length: LOGS }, (_, i) => String(LOGS - 1 - i)));
});
