// Also runs as: long
import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  addController,
  ethNode,
  hashLabel,
  mineBlocks,
  nodeBelow,
  registerByHash,
  registerReferred,
  renewReferred,
  rpc,
  setSubnodeOwner,
} from "../../devnet/acts.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { type LabelServiceDouble, startLabelService } from "../support/labelService.ts";
import { isLong } from "../support/size.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { openStage, type Stage } from "./stage.ts";

/*
 * Labels from sources other than the chain's logs: the indexer applies them itself, and afterwards names equal those of an index
 * that had the labels from its first block.
 */

const PATIENCE = { timeout: 60_000, interval: 100 };
const SERVICE = "namedex_service";
/** Names of the registrar whose logs gave only the hash. */
const registered = Array.from({ length: 25 }, (_, i) => `registered-${i}`);
/** Parents that all have a child with the same label. */
const parents = registered.slice(0, 12);

let stage: Stage;
let service: LabelServiceDouble;
/** An index with the same labels from its first block. */
let other: Stack | undefined;

/** Rows of the service's table: the hash is not computed there, so it may be false. */
type Given = { label: string; labelhash?: Hex; source?: string };

const give = async (databaseUrl: string, labels: readonly Given[]): Promise<void> => {
  const store = openStore({ databaseUrl, schema: SERVICE });
  try {
    for (const { label, labelhash = hashLabel(label), source = "table:words@1" } of labels) {
      await store.query(
        "INSERT INTO proven_labels (labelhash, label, source) VALUES (decode($1, 'hex'), $2, $3) ON CONFLICT DO NOTHING",
        [labelhash.slice(2), label, source],
      );
    }
  } finally {
    await store.close();
  }
};

let visitors = 0;

/** A name unrelated to any other: the next block in which the indexer may process what waits. */
const visit = () => makeChild("known", `visitor-${visitors++}`);

const makeChild = (parent: string, label: string) =>
  setSubnodeOwner(stage.chain, {
    from: stage.cast.alice,
    parent: ethNode(parent),
    label,
    owner: stage.cast.alice,
  });

type Row = { node: Hex; full_name: string; label: string; is_label_known: boolean; source: string | null };

const rowsOf = (stack: Pick<Stack, "sql">) =>
  stack.sql<Row>(
    `select node, full_name, domains.label, is_label_known, label_length, is_name_known, labels.source from domains
     left join labels using (chain_id, labelhash) order by node`,
  );

const nameOf = async (node: Hex): Promise<string | undefined> =>
  (await stage.sql<Row>("select full_name from domains where node = $1", [node]))[0]?.full_name;

/** Lets blocks pass until a name is known. */
const untilNamed = (name: string, node: Hex) =>
  vi.waitUntil(async () => {
    await visit();
    return (await nameOf(node)) === name;
  }, PATIENCE);

/** Lets blocks pass until nothing waits. */
const settle = () =>
  vi.waitUntil(async () => {
    await visit();
    await stage.stack.waitForHead();
    const [row] = await stage.sql<{ waiting: number; is_done: boolean }>(
      `select (select count(*)::int from work_lists where next_item is not null) as waiting,
         (select max(position) from label_progress) = (select max(position) from ${SERVICE}.proven_labels) as is_done`,
    );
    return row?.waiting === 0 && row.is_done;
  }, PATIENCE);

const words: Given[] = [
  ...registered.map((label) => ({ label })),
  { label: "shared", source: "table:words@2" },
  { label: "deep" },
];

/** Texts that must never be part of a name. */
const lies: Given[] = [
  { label: "lie", labelhash: hashLabel("hidden") },
  { label: "with.dot" },
  { label: `[${"ab".repeat(32)}]` },
  { label: "ab".repeat(20) },
];

beforeAll(async () => {
  service = await startLabelService();
  stage = await openStage({
    before: async (chain, { deployer, dave, alice }) => {
      await addController(chain, { from: deployer, controller: dave });
      for (const label of ["known", "market"]) await registerReferred(chain, { from: alice, label });
      for (const label of ["hidden", ...registered]) {
        await registerByHash(chain, { from: dave, label, owner: alice });
      }
    },
  });
  for (const parent of parents) await makeChild(parent, "shared");
  for (const { label } of lies.slice(1)) await makeChild("known", label);
  const deepParent = nodeBelow(ethNode("registered-0"), "shared");
  await setSubnodeOwner(stage.chain, {
    from: stage.cast.alice,
    parent: deepParent,
    label: "deep",
    owner: stage.cast.alice,
  });
});

afterAll(async () => {
  await other?.destroy();
  await stage?.close();
  await service?.close();
});

test("labels given later are applied after a block, with all names below", async () => {
  await stage.stack.waitForHead();
  expect(await nameOf(ethNode("registered-3"))).toBe(`[${hashLabel("registered-3").slice(2)}].eth`);
  await give(stage.stack.databaseUrl, [...lies, ...words]);
  const deep = nodeBelow(nodeBelow(ethNode("registered-0"), "shared"), "deep");
  await untilNamed("deep.shared.registered-0.eth", deep);
  await settle();
  for (const parent of parents)
    expect(await nameOf(nodeBelow(ethNode(parent), "shared"))).toBe(`shared.${parent}.eth`);
});

test("no false label, and none that cannot be shown, becomes part of a name", async () => {
  expect(await nameOf(ethNode("hidden"))).toBe(`[${hashLabel("hidden").slice(2)}].eth`);
  for (const { label } of lies.slice(1)) {
    expect(await nameOf(nodeBelow(ethNode("known"), label))).toBe(`[${hashLabel(label).slice(2)}].known.eth`);
  }
  const known = await stage.sql("select from labels where label = any($1)", [lies.map(({ label }) => label)]);
  expect(known).toHaveLength(0);
});

test("a new name has a given label at once, and each label has its source", async () => {
  await makeChild("known", "deep");
  const [row] = await stage.sql<Row>(
    "select full_name, source from domains join labels using (chain_id, labelhash) where node = $1",
    [nodeBelow(ethNode("known"), "deep")],
  );
  expect(row).toEqual({ full_name: "deep.known.eth", source: "table:words@1" });
});

test("whois and the counts agree", async () => {
  expect(await stage.whois("deep.known.eth")).toMatchObject({ label: "deep", label_source: "table:words@1" });
  expect(await stage.whois("known.eth")).toMatchObject({ label_source: "event" });
  // A well-known label counts as from a log if one spelled it out: "market" at its registration, "team" nowhere.
  expect(await stage.whois("market.eth")).toMatchObject({ label: "market", label_source: "event" });
  await makeChild("known", "team");
  await stage.stack.waitForHead();
  expect(await stage.whois("team.known.eth")).toMatchObject({ label: "team", label_source: "ens" });
  const { body } = await stage.stack.api<Record<string, number>>("/pending-stats");
  expect(body.healedCount).toBe(words.length);
  expect(body.healedShare).toBeCloseTo(words.length / (words.length + (body.pendingCount ?? 0)));
});

test("a log that spells a given label out becomes its source", async () => {
  await renewReferred(stage.chain, { from: stage.cast.bob, label: "registered-5" });
  const [row] = await stage.sql<Row>("select source from labels where label = 'registered-5'");
  expect(row?.source).toBe("event");
});

test("a reorganisation reverts applied labels, and the next blocks apply them again", async () => {
  const label = "late";
  const node = nodeBelow(ethNode("known"), label);
  await makeChild("known", label);
  await mineBlocks(stage.chain, { count: 2 });
  await stage.stack.waitForHead();
  await give(stage.stack.databaseUrl, [{ label }]);
  const height = async () => Number(await rpc<string>(stage.chain, "eth_blockNumber"));
  const before = await height();
  await untilNamed("late.known.eth", node);
  await rpc(stage.chain, "anvil_rollback", [(await height()) - before]);
  await visit();
  await untilNamed("late.known.eth", node);
});

test.runIf(isLong())("a kill while labels are applied loses none of them", async () => {
  const labels = Array.from({ length: 10 }, (_, i) => `killed-${i}`);
  for (const label of labels) await makeChild("known", label);
  await stage.stack.waitForHead();
  await give(
    stage.stack.databaseUrl,
    labels.map((label) => ({ label })),
  );
  await visit();
  await stage.stack.kill();
  await stage.stack.expireLock();
  stage.stack.restart();
  await stage.stack.ready();
  for (const label of labels) await untilNamed(`${label}.known.eth`, nodeBelow(ethNode("known"), label));
});

test.runIf(isLong())("names equal those of an index that had the labels from its first block", async () => {
  await settle();
  const { anvil, deployment } = stage.local;
  const given = await stage.sql<Given & { hash: string }>(
    `select label, source, '0x' || encode(labelhash, 'hex') as hash from ${SERVICE}.proven_labels order by position`,
  );
  const labels = given.map(({ hash, ...one }) => ({ ...one, labelhash: hash as Hex }));
  other = await startStack({
    rpcUrl: anvil.url,
    deployment,
    prepare: async (databaseUrl) => {
      await give(databaseUrl, labels);
      return service.settings;
    },
  });
  await stage.stack.waitForHead();
  await other.waitForHead();
  const rows = await rowsOf(other);
  expect(rows.filter(({ source }) => source === "table:words@1").length).toBeGreaterThan(30);
  expect(await rowsOf(stage.stack)).toEqual(rows);
  expect(await other.sql("select from work_lists")).toHaveLength(0);
});

test.runIf(isLong())(
  "a label service is asked by one process: by a replica while the indexer is down, and its answer is applied later",
  async () => {
    const stack = other as Stack;
    const labels = ["of-a-service", "of-the-same-one", "of-none"];
    for (const label of labels) await makeChild("known", label);
    await stack.waitForHead();
    await stack.startReplica();
    await stack.stop();
    service.open(labels.slice(0, 2));
    await vi.waitUntil(async () => {
      const rows = await stack.sql(`select from ${SERVICE}.proven_labels where source = $1`, [
        service.source,
      ]);
      return rows.length === 2;
    }, PATIENCE);
    stack.restart();
    await stack.ready();
    await vi.waitUntil(async () => {
      await visit();
      const rows = await stack.sql<Row>(
        "select full_name from domains join labels using (chain_id, labelhash) where source = $1 order by 1",
        [service.source],
      );
      return rows.map((row) => row.full_name).join() === "of-a-service.known.eth,of-the-same-one.known.eth";
    }, PATIENCE);
    const asked = service.answered();
    expect(asked).toEqual(expect.arrayContaining(labels.map(hashLabel)));
    expect(new Set(asked).size).toBe(asked.length);
  },
);

test.runIf(isLong())("an index whose labels the service's table lost writes them back", async () => {
  // A restart removes what is not yet final. Ponder treats a local block as final after 30 more, and then 30 at a time.
  await mineBlocks(stage.chain, { count: 61 });
  await visit();
  await stage.stack.waitForHead();
  await stage.stack.stop();
  await stage.stack.sql(`delete from ${SERVICE}.proven_labels`);
  stage.stack.restart();
  await stage.stack.ready();
  await visit();
  await vi.waitUntil(async () => {
    const rows = await stage.stack.sql(`select from ${SERVICE}.proven_labels where label = 'registered-9'`);
    return rows.length === 1;
  }, PATIENCE);
  const [row] = await stage.sql<Row>(
    `select label, source from ${SERVICE}.proven_labels where label = 'shared'`,
  );
  expect(row).toEqual({ label: "shared", source: "table:words@2" });
});
