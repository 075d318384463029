import { domain } from "ponder:schema";
import { namehash } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startHealing } from "../../src/api/names/labels/healLabels.ts";
import { type LabelService, LabelServiceError } from "../../src/api/names/labels/labelService.ts";
import { pairLocks } from "../../src/api/server/postgres/advisoryLocks.ts";
import { workAlone } from "../../src/api/server/postgres/lockedWork.ts";
import { askedLabelsIn } from "../../src/api/server/serviceDb/askedLabels.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { labelhash, unknownLabel } from "../../src/ens/name.ts";
import { registeredRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

type Hash = `0x${string}`;

/** A wait ends when its condition holds. This ends one that would last for ever. */
const WAIT_MS = 60_000;
const labels = ["vitalik", "nick", "brantly", "never", "with.dot"];
const SOURCE = "service:searchlight@1";
const times = { question: 1, round: 20, turn: 10, failure: 5, longest: 40 };

let tables: Tables;
let store: Store;
const running: { stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  tables = await createTables();
  store = openStore({ databaseUrl: tables.databaseUrl, schema: "namedex_service" });
  await tables.writer.insert(domain).values(
    labels.map((label) => ({
      ...registeredRow(`${label.replace(".", "-")}.eth`, `0x${"a1".repeat(20)}`, 2_000_000_000n),
      node: namehash(`${label}.eth`),
      labelhash: labelhash(label),
      label: unknownLabel(labelhash(label)),
      fullName: `${unknownLabel(labelhash(label))}.eth`,
      isLabelKnown: false,
      isNameKnown: false,
    })),
  );
});
beforeEach(async () => {
  await store.query("TRUNCATE proven_labels");
  await store.query("TRUNCATE asked_labels");
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});
afterAll(async () => {
  await store?.close();
  await tables?.drop();
});

const APPLICATION = "label_healing_of_a_test";
const locked = () => ({
  databaseUrl: tables.databaseUrl,
  applicationName: APPLICATION,
  lock: [pairLocks.labelHealing, SOURCE] as const,
});

/** Heals with a service that answers like this. Returns what it was asked for. */
function heal(
  answer: (hash: Hash, count: number) => Promise<string | null>,
  mayAsk = async () => true,
): Hash[] {
  const asked: Hash[] = [];
  const service: LabelService = {
    close: async () => {},
    heal: (hash) => answer(hash, asked.push(hash)),
  };
  running.push(
    startHealing({
      service,
      asked: askedLabelsIn(store, SOURCE),
      schema: "public",
      mayAsk,
      warn: () => {},
      times,
      alone: (stopped, work) => workAlone({ ...locked(), stopped }, (_, ended) => work(ended)),
    }),
  );
  return asked;
}

const stored = () =>
  store.query<{ label: string; source: string }>("SELECT label, source FROM proven_labels ORDER BY label");

const textOf = (hash: Hash): string | null => labels.find((label) => labelhash(label) === hash) ?? null;
const settle = () => new Promise((resolve) => setTimeout(resolve, times.round * 10));

test("each label is looked up once, and stored with the service's name", async () => {
  const asked = heal(async (hash) => (textOf(hash) === "never" ? null : textOf(hash)));
  await vi.waitUntil(async () => (await stored()).length === 3, WAIT_MS);
  await settle();
  expect(await stored()).toEqual(["brantly", "nick", "vitalik"].map((label) => ({ label, source: SOURCE })));
  expect(asked.toSorted()).toEqual(labels.map(labelhash).toSorted());
});

test("a wrong answer is not stored, and not looked up again", async () => {
  const asked = heal(async () => "evil");
  await vi.waitUntil(() => asked.length >= labels.length, WAIT_MS);
  await settle();
  expect(await stored()).toEqual([]);
  expect(asked).toHaveLength(labels.length);
});

test("one of two processes asks, and the other continues where it ends", async () => {
  const answer = () => new Promise<null>((resolve) => setTimeout(() => resolve(null), 30));
  const one = heal(answer);
  await vi.waitUntil(() => one.length > 0, WAIT_MS);
  const other = heal(answer);
  await vi.waitUntil(() => one.length >= 2, WAIT_MS);
  expect(other).toEqual([]);
  await running.shift()?.stop();
  await vi.waitUntil(() => one.length + other.length >= labels.length, WAIT_MS);
  await settle();
  // The pending question may or may not have been answered.
  expect(new Set([...one, ...other])).toEqual(new Set(labels.map(labelhash)));
  expect(one.length + other.length).toBeLessThanOrEqual(labels.length + 1);
});

test("a process whose lock connection ends asks nothing more without it", async () => {
  const asked = heal(async () => null);
  await vi.waitUntil(() => asked.length > 0, WAIT_MS);
  const end = () =>
    tables.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [
      APPLICATION,
    ]);
  await end();
  await vi.waitUntil(() => asked.length >= labels.length, WAIT_MS);
  await settle();
  expect(asked.toSorted()).toEqual(labels.map(labelhash).toSorted());
});

test("unknown labels are looked up again after a month", async () => {
  const asked = heal(async () => null);
  await vi.waitUntil(() => asked.length === labels.length, WAIT_MS);
  await store.query("UPDATE asked_labels SET until = until - interval '31 days'");
  await vi.waitUntil(() => asked.length === 2 * labels.length, WAIT_MS);
});

test("a failing service is retried, at growing intervals", async () => {
  const at: number[] = [];
  heal(async (hash) => {
    at.push(performance.now());
    if (at.length <= 4) throw new LabelServiceError("away", { isFinal: false });
    return textOf(hash);
  });
  await vi.waitUntil(async () => (await stored()).length === 4, WAIT_MS);
  const pauses = at.slice(1, 5).map((time, i) => time - (at[i] ?? 0));
  // A busy machine makes a pause longer, never shorter than a timer's millisecond.
  const least = [1, 2, 4, 8].map((doubled) => doubled * times.failure - 1);
  for (const [i, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(least[i] ?? 0);
  expect(pauses).toHaveLength(4);
});

test("a label that makes the service fail does not block others, and is retried", async () => {
  const [first = ""] = labels.map((label) => `${namehash(`${label}.eth`)} ${label}`).sort();
  const failing = labelhash(first.split(" ")[1] ?? "");
  const asked = heal(async (hash) => {
    if (hash === failing) throw new LabelServiceError("status 500", { isFinal: false });
    return textOf(hash);
  });
  const others = labels.filter((label) => labelhash(label) !== failing && label !== "with.dot");
  await vi.waitUntil(async () => (await stored()).length === others.length, WAIT_MS);
  await vi.waitUntil(() => asked.filter((hash) => hash === failing).length > 2, WAIT_MS);
  expect((await stored()).map(({ label }) => label)).toEqual(others.sort());
});

test("an index still in its backfill asks for nothing", async () => {
  const asked = heal(
    async () => null,
    async () => false,
  );
  await settle();
  expect(asked).toEqual([]);
});
