import { getAddress, type Hex, toEventSelector, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Chain,
  ethNode,
  hashLabel,
  latestTime,
  mineBlocks,
  registerReferred,
  rpc,
  setNextTime,
} from "../../devnet/acts.ts";
import { nameByNode } from "../../src/ens/name.ts";
import { wellKnownLabels } from "../../src/ens/wellKnownLabels.ts";
import { MAX_WORK_PER_BLOCK } from "../../src/indexing/write/blockQueue.ts";
import { openStage, type Stage } from "../chain/stage.ts";
import { readLogged } from "../truth/chainLogs.ts";
import { fullNamer, nodeBelowHash, positionsOf, revealedLabels } from "../truth/names.ts";
import { child, emitLogs, type Log, OWNER, spell, takeContracts } from "./takenContracts.ts";

/* Names that would grow without end, and labels that are in thousands of names when they become known. */

let stage: Stage;
let emitters: Chain;

beforeAll(async () => {
  stage = await openStage();
  const { chain, cast } = stage;
  for (const label of ["deep", "wide", "same", "tree"]) {
    await registerReferred(chain, { from: cast.alice, label });
  }
  emitters = await takeContracts(chain);
});
afterAll(() => stage?.close());

const emit = (logs: readonly Log[]) => emitLogs(emitters, logs);

/** Labels whose text is unknown, as numbers. */
const unknown = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`;

/** How many names the last block rewrote, and how many lists wait. */
type Renames = { done: number; waiting: number };

async function readRenames(): Promise<Renames> {
  const [row] = await stage.sql<Renames>(
    "select done, (select count(*)::int from work_lists where next_item is not null) as waiting from work_queues",
  );
  expect(row?.done ?? 0).toBeLessThanOrEqual(MAX_WORK_PER_BLOCK);
  return row ?? { done: 0, waiting: 0 };
}

let visitors = 0;

/** A name unrelated to any other: the next block in which any name is created. */
const visit = () => emit([child(ethNode("wide"), hashLabel(`visitor-${visitors++}`))]);

/** Lets blocks pass until all domains are named. Returns the number of blocks. */
async function finish(): Promise<number> {
  for (let blocks = 0; ; blocks++) {
    if ((await readRenames()).waiting === 0) return blocks;
    if (blocks > 200) throw new Error("Domains still wait to be named again");
    await visit();
  }
}

/** Ponder treats a local block as final after 30 more, and then 30 at a time. */
const BLOCKS_UNTIL_FINAL = 61;

/** Makes the indexed blocks final: a restart begins behind them, and does not index the large blocks of other tests again. */
async function settle(): Promise<void> {
  await mineBlocks(stage.chain, { count: BLOCKS_UNTIL_FINAL });
  await stage.stack.waitForHead();
}

/** Every name of the index must follow from the chain's logs. */
async function expectNamesOfLogs(): Promise<void> {
  const { anvil, deployment } = stage.local;
  const { logs, transactions } = await readLogged(anvil.url, deployment);
  const positions = positionsOf(logs);
  const revealed = revealedLabels(logs, (log) => transactions.get(log.transactionHash)?.from);
  const labelOf = (hash: Hex) => revealed.get(hash) ?? wellKnownLabels.get(hash) ?? null;
  const nameOf = fullNamer((node) => positions.get(node) ?? null, labelOf);
  const isKnown = (node: Hex): boolean => {
    const position = positions.get(node);
    if (node === zeroHash || position === undefined) return node === zeroHash;
    return labelOf(position.labelhash) !== null && isKnown(position.parent);
  };
  const rows = await stage.sql<{ node: Hex; full_name: string; label: string; is_name_known: boolean }>(
    "select node, full_name, label, is_name_known from domains",
  );
  const wrong = rows.filter(({ node, full_name, is_name_known, label }) => {
    const known = labelOf(positions.get(node)?.labelhash ?? zeroHash);
    const isLabelRight = node === zeroHash || known === null || known === label;
    return full_name !== nameOf(node) || is_name_known !== isKnown(node) || !isLabelRight;
  });
  const shown = wrong.slice(0, 5).map((row) => ({ ...row, expected: nameOf(row.node) }));
  expect(shown).toEqual([]);
  expect(rows.length).toBeGreaterThan(10);
}

/** Nodes of a path of labels below a node, nearest first. */
function nodesDown(from: Hex, labels: readonly Hex[]): Hex[] {
  let node = from;
  return labels.map((hash) => {
    node = nodeBelowHash(node, hash);
    return node;
  });
}

/** Logs that make a path of labels below a node. */
function path(from: Hex, labels: readonly Hex[]): Log[] {
  const parents = [from, ...nodesDown(from, labels)];
  return labels.map((hash, level) => child(parents[level] as Hex, hash));
}

describe.each([
  ["the longest label", "☃".repeat(85)],
  ["a label of 30 KB", "long".repeat(7_500)],
])("%s on 200 levels", (_, label) => {
  const LEVELS = 200;
  let nodes: Hex[];

  test("gives no name of more than 1,024 bytes", async () => {
    const labels = Array<Hex>(LEVELS).fill(hashLabel(label));
    nodes = nodesDown(ethNode("deep"), labels);
    await emit([spell(label), ...path(ethNode("deep"), labels)]);
    await expectNamesOfLogs();
    const [size] = await stage.sql<{ longest: number }>(
      "select max(octet_length(full_name))::int as longest from domains",
    );
    expect(size?.longest).toBeLessThanOrEqual(1_024);
  });

  test("has a lowest name that can be requested as it is shown", async () => {
    const [parent, node] = nodes.slice(-2) as [Hex, Hex];
    const name = nameByNode(node);
    const parent_name = nameByNode(parent);
    const answer = await stage.whois(name);
    expect(answer).toMatchObject({ name, namehash: node, parent_name, query: name });
    expect(answer.ownership.owner).toBe(getAddress(OWNER));
    expect(await stage.record(node)).toMatchObject({ name, parent_name });
    expect((await stage.events(name)).map(({ event_type }) => event_type)).toEqual(["NewOwner"]);
    const listed = await stage.stack.api<{ results: { name: string }[] }>(
      `/domain/${encodeURIComponent(parent_name)}/subdomains`,
    );
    expect(listed.body.results.map((one) => one.name)).toEqual([name]);
  });
});

/** Each level takes a few blocks to become known. */
const LEVELS_ABOVE = 4;

test("unknown labels above 1,000 names are learnt in blocks of 500 names", async () => {
  const labels = Array.from({ length: LEVELS_ABOVE }, (_, level) => `level-${level}`);
  const hashes = labels.map(hashLabel);
  const lowest = nodesDown(ethNode("wide"), hashes).at(-1) as Hex;
  await emit(path(ethNode("wide"), hashes));
  await emit(Array.from({ length: 1_000 }, (_, leaf) => child(lowest, unknown(leaf + 1))));
  for (const label of labels) {
    await emit([spell(label)]);
    await readRenames();
  }
  expect((await readRenames()).waiting).toBeGreaterThan(0);
  await finish();
  await expectNamesOfLogs();
});

test("a label keeps its byte order mark, which the decoder of a log drops", async () => {
  for (const label of ["\ufeffmark", "\ufeff\ufeffmarks"]) {
    await emit([child(ethNode("same"), hashLabel(label)), spell(label)]);
    const [row] = await stage.sql<{ full_name: string; is_label_known: boolean }>(
      "select full_name, is_label_known from domains where node = $1",
      [nodeBelowHash(ethNode("same"), hashLabel(label))],
    );
    expect(row).toEqual({ full_name: `${label}.same.eth`, is_label_known: true });
    const [event] = await stage.sql<{ name: string; anomaly: string | null }>(
      "select name, anomaly from events where event_type = 'NameRenewed' and name = $1",
      [`${label}.eth`],
    );
    expect(event).toEqual({ name: `${label}.eth`, anomaly: null });
  }
  const listed = await stage.stack.api<{ results: { name: string }[] }>(
    "/search-domains?q=mark&search_full_name=true",
  );
  expect(listed.body.results.map(({ name }) => name)).toContain("\ufeffmark.same.eth");
});

test("one label in 1,200 names under as many parents is learnt in blocks of 500 names", async () => {
  const parents = Array.from({ length: 1_200 }, (_, index) => unknown(10_000 + index));
  const nodes = parents.map((hash) => nodeBelowHash(ethNode("same"), hash));
  await emit(parents.map((hash) => child(ethNode("same"), hash)));
  await emit(nodes.map((node) => child(node, hashLabel("twin"))));
  await emit([spell("twin")]);
  expect(await readRenames()).toEqual({ done: MAX_WORK_PER_BLOCK, waiting: 1 });
  // A block's work continues, whatever its logs: here no name is created, and no label becomes known.
  await emit([spell("twin"), spell("twin")]);
  expect(await readRenames()).toEqual({ done: MAX_WORK_PER_BLOCK, waiting: 1 });
  await emit([spell("twin")]);
  expect((await readRenames()).waiting).toBe(0);
  await expectNamesOfLogs();
});

/** Numbers below a limit, the same in every run. */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % limit;
  };
}

/**
 * The logs of a tree of names in an order that no registry would emit: a child before its parent, and few labels for many names.
 * `label` provides the labels of this tree.
 */
function treeOf(seed: number, { names, labels }: { names: number; labels: readonly string[] }): Log[] {
  const throwDie = dice(seed);
  const nodes = [ethNode("tree")];
  const logs = Array.from({ length: names }, () => {
    const parent = nodes[throwDie(Math.min(nodes.length, 400))] as Hex;
    const hash = hashLabel(labels[throwDie(labels.length)] as string);
    nodes.push(nodeBelowHash(parent, hash));
    return child(parent, hash);
  });
  return logs
    .map((log) => ({ log, at: throwDie(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ log }) => log);
}

describe("names and reveals in any order", () => {
  const labels = (prefix: string) =>
    Array.from({ length: 60 }, (_, index) => `${prefix}${"-".repeat(index)}`);
  const height = async () => Number(await rpc<string>(stage.chain, "eth_blockNumber"));

  /** Creates a tree of names whose labels become known meanwhile, some in each block. */
  async function grow(seed: number, prefix: string): Promise<void> {
    const logs = treeOf(seed, { names: 1_400, labels: labels(prefix) });
    const spelled = labels(prefix).map(spell);
    for (let block = 0; block < 7; block++) {
      const reveals = spelled.slice(block * 8, block * 8 + 8);
      await emit([...logs.slice(block * 200, block * 200 + 100), ...reveals]);
      await emit(logs.slice(block * 200 + 100, block * 200 + 200));
    }
    await emit(spelled.slice(56));
    await readRenames();
  }

  test("end in the names of the logs", async () => {
    await grow(1, "any");
    await finish();
    await expectNamesOfLogs();
  });

  test("do so even if a reorganisation reverts some blocks while names wait", async () => {
    await waitingTwins("forked", 1_100);
    await visit();
    const { waiting } = await readRenames();
    expect(waiting).toBeGreaterThan(0);
    const top = await height();
    await rpc(stage.chain, "anvil_rollback", [2]);
    await grow(2, "forked");
    expect(await height()).toBeGreaterThan(top);
    await finish();
    await expectNamesOfLogs();
    await emit([spell("twin-forked")]);
    await finish();
    await expectNamesOfLogs();
  });

  test("do so even if a block that begins at a later log replaces one that continued", async () => {
    await waitingTwins("later", 1_100);
    await visit();
    expect((await readRenames()).done).toBe(MAX_WORK_PER_BLOCK);
    await rpc(stage.chain, "anvil_rollback", [1]);
    // Its time differs from the replaced block's: the head is known by number and time.
    await setNextTime(stage.chain, (await latestTime(stage.chain)) + 60n);
    const foreign: Log = { contract: "logEmitter", topics: [toEventSelector("event Foreign()")], data: "0x" };
    await emit([foreign, spell("twin-later")]);
    const [row] = await stage.sql<{ done: number; is_of_this_block: boolean }>(
      "select done, block_number = (select max(block_number) from events) as is_of_this_block from work_queues",
    );
    expect(row).toEqual({ done: MAX_WORK_PER_BLOCK, is_of_this_block: true });
    expect(await finish()).toBe(1);
    await expectNamesOfLogs();
  });

  // This comes last: an indexer that does not start again then fails this test only.
  test("do so even if the indexer is killed while names wait", async () => {
    await settle();
    await waitingTwins("killed", 600);
    const { stack } = stage;
    await stack.kill();
    await stack.expireLock();
    stack.restart();
    await stack.ready();
    expect((await readRenames()).waiting).toBeGreaterThan(0);
    await finish();
    await expectNamesOfLogs();
  });

  /** A label in `names` names becomes known: some of them wait. */
  async function waitingTwins(prefix: string, names: number): Promise<void> {
    const hashes = Array.from({ length: names }, (_, index) => hashLabel(`${prefix}-${index}`));
    const twin = `twin-${prefix}`;
    await emit(hashes.map((hash) => child(ethNode("same"), hash)));
    await emit(hashes.map((hash) => child(nodeBelowHash(ethNode("same"), hash), hashLabel(twin))));
    await emit([spell(twin)]);
    expect((await readRenames()).waiting).toBeGreaterThan(0);
  }
});
