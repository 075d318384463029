// Also runs as: long
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { ethNode, setSubnodeOwner } from "../../devnet/acts.ts";
import { isLong, sizeOf } from "../support/size.ts";
import { request } from "../truth/chainReads.ts";
import { judge } from "../truth/oracle.ts";
import { type Asked, askAll, questionsAbout } from "./ask.ts";
import type { Attack } from "./attack.ts";
import { familiesOf, isTriedFirst } from "./attacks.ts";
import { expectFeed, expectPages, expectSubgraph } from "./everyInterface.ts";
import { askAsWritten, metricsTargets } from "./metricsTargets.ts";
import { feedBehind, type HostileStage, openHostileStage } from "./stage.ts";

/*
 * All attacks, on one chain and one index. After each attack the indexer runs and has reached the head, and every operation
 * answers about what was attacked; in the end the oracle compares the whole index with the chain.
 */
const seed = inject("seed");
const randomLogs = Number(process.env.FUZZ_RUNS ?? sizeOf({ short: 200, long: 10_000 }));

let stage: HostileStage;
beforeAll(async () => {
  stage = await openHostileStage({ databaseServer: inject("databaseServerUrl") });
});
afterAll(() => stage?.close());

const UNREADABLE = /^events (\d+\/\d+) \w+: no such log on the chain$/;

/** Every log of the chain, as `block/index`. */
async function listPlaces(rpcUrl: string): Promise<Set<string>> {
  const all = [{ fromBlock: "0x0", toBlock: "latest" }];
  const logs = await request<{ blockNumber: string; logIndex: string }[]>(rpcUrl, "eth_getLogs", all);
  return new Set(logs.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}/${Number(logIndex)}`));
}

/** Whether the index answers, and has everything mined. */
async function expectWell(): Promise<void> {
  await stage.stack.waitForHead();
  expect(stage.stack.ended()).toBe(null);
  const { status, body } = await stage.stack.api<{ ready: boolean }>("/indexing-status");
  expect([status, body.ready]).toEqual([200, true]);
  // No text and no number of logs stops the feed.
  await vi.waitFor(async () => expect(await feedBehind(stage)).toEqual([]), {
    timeout: FEED_MS,
    interval: 100,
  });
}

const FEED_MS = 60_000;

const sizes = {
  // Both exceed what one block names (src/indexing/write/blockQueue.ts), and differ from each other: attacks are identified by
  // their names.
  leaves: sizeOf({ short: 540, long: 2_000 }),
  leavesBelowSeveral: sizeOf({ short: 520, long: 1_500 }),
  reveals: 2,
  // Many turns of rows requested together (the patch largeBlocks).
  logs: sizeOf({ short: 2_500, long: 6_000 }),
  burstMegabytes: sizeOf({ short: 1, long: 3 }),
  bulk: sizeOf({ short: 10, long: 30 }),
  inputs: sizeOf({ short: 12, long: 40 }),
  comparisons: sizeOf({ short: 80, long: 300 }),
  // Far more than a page; `query/permissions.test.ts` has 100,000.
  approvals: 1_200,
  // In the long proofs more than the names whose events are in one list.
  gifts: sizeOf({ short: 120, long: 2_100 }),
  pointed: sizeOf({ short: 60, long: 900 }),
  randomLogs,
  reorganisations: 3,
  oddTexts: sizeOf({ short: 3, long: 27 }),
};

/** Later blocks name what a reveal leaves over: others continue. */
async function settleNames(): Promise<void> {
  const { chain, alice, stack } = stage;
  for (let waiting = 1, round = 0; waiting > 0; round++) {
    const label = `sub-${round}`;
    await setSubnodeOwner(chain, { from: alice, parent: ethNode("alice"), label, owner: alice });
    await stack.waitForHead();
    const [row] = await stack.sql<{ waiting: number }>(
      "select count(*)::int as waiting from work_lists where next_item is not null",
    );
    waiting = row?.waiting ?? 0;
  }
}

/** How many rows the indexer has requested one by one, by its own metric. */
async function countFinds(): Promise<number> {
  const text = await (await fetch(`${stage.stack.metricsUrl}/metrics`)).text();
  const counts = text.matchAll(/^ponder_indexing_cache_query_duration_count\{.*method="find".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/**
 * The questions about what the attacks of a family touched, each once: after each attack in the long form, otherwise at the
 * family's end.
 */
const touched = new Map<string, Asked>();
let questions = 0;

async function askTouched(): Promise<void> {
  // Every sixth in `npm test`: an attack touches many similar things.
  const all = [...touched.values()];
  questions += all.length;
  await askAll(stage, isLong() ? all : all.filter((_, i) => i % 6 === 0));
  touched.clear();
  await expectWell();
}

/** How many requests each attack caused. */
const finds = new Map<string, number>();

/** `npm test` tries some attacks of each family, the long proofs all. */
const isTried = (attack: Attack) => isLong() || isTriedFirst(attack);

for (const { name, attacks } of familiesOf({ ...sizes, seed })) {
  describe(name, () => {
    test.each(attacks.filter(isTried))("$name", async ({ name, run }) => {
      const before = await countFinds();
      const traces = await run(stage);
      await expectWell();
      finds.set(name, (await countFinds()) - before);

      for (const one of questionsAbout(stage, traces)) touched.set(`${one.path} ${one.body}`, one);
      if (isLong()) await askTouched();
    });

    if (name === "texts") {
      test("the feed, its stream, tools, the subgraph, pages and tables return odd texts as they were set", async () => {
        await expectFeed(stage, seed);
        await expectSubgraph(stage, seed);
        await expectPages(stage);
      });
    }

    test("every operation answers about everything that was touched", async () => {
      await askTouched();
    });
  });
}

test.each(
  [
    { attack: `${sizes.logs.toLocaleString("en")} logs in one block`, most: sizes.logs / 6 },
    { attack: "800 tokens in one transfer", most: 400 },
    // Its blocks also name what the previous attack left over.
    {
      attack: `${sizes.leaves.toLocaleString("en")} names below 1 unknown labels that become known`,
      most: 4 * sizes.leaves,
    },
  ].filter(({ attack: name }) => isLong() || isTriedFirst({ name })),
)("the rows of $attack are not requested one by one", ({ attack, most }) => {
  expect(finds.get(attack)).toBeLessThan(most);
});

test(`after all attacks the index matches the chain (FUZZ_SEED=${seed})`, async () => {
  const { stack, local } = stage;
  await settleNames();
  const trial = {
    rpcUrl: local.anvil.url,
    deployment: local.deployment,
    query: stack.sql,
    archiveReads: true,
  };
  const { differences, counts } = await judge(trial);
  const logged = await listPlaces(local.anvil.url);
  // The oracle's decoder rejects more of the broken logs than the index: those that the index keeps must be on the chain.
  const wrong = differences.filter((line) => !logged.has(UNREADABLE.exec(line)?.[1] ?? ""));
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(questions).toBeGreaterThan(50);
  expect(counts.nodes).toBeGreaterThan(isLong() ? 800 : 400);
});

test("metrics are only at the operator port, however their path is written", async () => {
  const { url, metricsUrl } = stage.stack;
  for (const target of metricsTargets) {
    const { status, text } = await askAsWritten(url, target);
    expect([target, status]).toEqual([target, status === 400 ? 400 : 404]);
    expect([target, text]).not.toEqual([target, expect.stringMatching(/^# (HELP|TYPE) /m)]);
  }
  for (const [path, name] of [
    ["/metrics", "ponder_indexing_completed_events"],
    ["/index-metrics", 'namedex_index_ready{reason="none"} 1'],
  ] as const) {
    expect(await (await fetch(`${metricsUrl}${path}`)).text()).toContain(name);
  }
});

test("undecodable input has a reason", async () => {
  const rows = await stage.stack.sql<{ anomaly: string }>(
    "select distinct anomaly from events where anomaly is not null",
  );
  for (const { anomaly } of rows) expect(anomaly).toMatch(/^[a-z].{10,}$/);
});
