import { type Address, getAddress, namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpc } from "../../devnet/acts.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { MAX_WORK_PER_BLOCK } from "../../src/indexing/write/blockQueue.ts";
import { MAX_MOUNTS } from "../../src/indexing/write/ensv2/mounts.ts";
import { MAX_SHARED_ENTRIES } from "../../src/indexing/write/ensv2/reach.ts";
import { type Emission, type Emit, emitterOn } from "./emittedLogs.ts";
import {
  ALICE,
  BOB,
  deployProxy,
  ETH,
  foundations,
  link,
  numberOf,
  point,
  register,
  registeredEntry,
  registryLog,
  reserve,
  unregister,
  withEnsv2,
} from "./ensv2Logs.ts";
import { expectPathEnds } from "./ensv2Paths.ts";
import { lower, type Stage, stageOf } from "./stage.ts";
import { expectUndisturbed } from "./undisturbed.ts";

/* The writes that strangers can cause by a single log of ENSv2 are bounded, and in the end nothing is missing. */

let stage: Stage;
let emit: Emit;

const address = (digits: string): Address => getAddress(`0x${digits.repeat(20)}`);
const [BIG, SHARED, TREE, SMALL, HOOKED] = ["91", "92", "93", "94", "95"].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const RESOLVER = address("51");
/** More than two blocks' worth, and more than are shared; in the long form more than four blocks' worth. */
const MANY = 2_000;

/** The shortest logs of a completed registration. */
const briefly = (by: Address, label: string): Emission[] => {
  const tokenId = numberOf(label);
  return [
    registeredEntry(by, { label, owner: BOB }),
    registryLog(by, "TokenResource", { tokenId, resource: tokenId }),
  ];
};

async function fill(registry: Address, count: number): Promise<void> {
  const labels = Array.from({ length: count }, (_, number) => `e${number}`);
  for (let first = 0; first < count; first += 500)
    await emit(...labels.slice(first, first + 500).flatMap((label) => briefly(registry, label)));
}

beforeAll(async () => {
  const local = await startLocalChain();
  emit = await emitterOn(local.chain, local);
  await emit(...foundations(), ...[BIG, SHARED, TREE, SMALL, HOOKED].flatMap((proxy) => deployProxy(proxy)));
  await fill(BIG, MANY);
  stage = await stageOf({ ...local, deployment: withEnsv2(local) });
});
afterAll(() => stage?.close());

const rows = <Row extends Record<string, unknown>>(text: string, ...values: unknown[]) =>
  stage.sql<Row>(text, values);

/** A block with one log that does not concern waiting work. */
const anyBlock = () =>
  emit(registryLog(ETH, "URIUpdated", { uri: "", renderer: zeroAddress, sender: ALICE }));

const countBelow = async (name: string, registry: Address): Promise<number> => {
  const [row] = await rows<{ count: number }>(
    "select count(*)::int as count from domains where parent_node = $1 and registry = $2 and effective_owner_address is not null",
    namehash(name),
    lower(registry),
  );
  return row?.count ?? 0;
};

/** How many rows the last block processed, and how many lists wait. */
const readWaiting = async () =>
  (
    await rows<{ done: number; waiting: number }>(
      "select done, (select count(*)::int from work_lists where next_item is not null) as waiting from work_queues",
    )
  )[0];

/** Makes blocks until nothing waits. Returns their number. */
async function finish(): Promise<number> {
  for (let blocks = 0; ; blocks++) {
    if (((await readWaiting())?.waiting ?? 0) === 0) return blocks;
    if (blocks > 100) throw new Error("names of entries wait for ever");
    await anyBlock();
  }
}

describe("a registry with many entries", () => {
  test("gets its names over several blocks, 500 in each", async () => {
    await emit(...register(ETH, { label: "big", owner: ALICE, subregistry: BIG }));
    expect(await countBelow("big.eth", BIG)).toBe(MAX_WORK_PER_BLOCK);
    expect(await readWaiting()).toEqual({ done: MAX_WORK_PER_BLOCK, waiting: 1 });
    // New entries have their names at once. Those that change meanwhile get theirs in turn.
    await emit(point(BIG, { label: "e0", resolver: RESOLVER }), ...briefly(BIG, "late"));
    expect(await countBelow("big.eth", BIG)).toBe(2 * MAX_WORK_PER_BLOCK + 1);
    const changed = () => rows("select resolver from domains where node = $1", namehash("e0.big.eth"));
    expect(await rows("select 1 from domains where node = $1", namehash("late.big.eth"))).toHaveLength(1);
    expect(await changed()).toEqual([]);
    expect(await finish()).toBeLessThanOrEqual(Math.ceil(MANY / MAX_WORK_PER_BLOCK));
    expect(await changed()).toEqual([{ resolver: lower(RESOLVER) }]);
    expect(await countBelow("big.eth", BIG)).toBe(MANY + 1);
  });

  test("shows its first thousand entries below a second name", async () => {
    await emit(...register(ETH, { label: "copy", owner: ALICE, subregistry: BIG }));
    await finish();
    expect(await countBelow("copy.eth", BIG)).toBe(MAX_SHARED_ENTRIES);
    await emit(...briefly(BIG, "newest"));
    expect(await countBelow("copy.eth", BIG)).toBe(MAX_SHARED_ENTRIES);
    expect(await countBelow("big.eth", BIG)).toBe(MANY + 2);
  });

  test("shows all of them there once it is the first name", async () => {
    await emit(link(ETH, { label: "big", subregistry: zeroAddress }));
    expect((await readWaiting())?.waiting).toBeGreaterThan(0);
    await finish();
    expect(await countBelow("big.eth", BIG)).toBe(0);
    expect(await countBelow("copy.eth", BIG)).toBe(MANY + 2);
  });

  test("survives a reorganisation across the link", async () => {
    await emit(link(ETH, { label: "copy", subregistry: zeroAddress }));
    await anyBlock();
    await stage.stack.waitForHead();
    await rpc(stage.chain, "anvil_rollback", [2]);
    await emit(...register(ETH, { label: "fork", owner: ALICE }));
    await anyBlock();
    await anyBlock();
    await finish();
    expect(await countBelow("copy.eth", BIG)).toBe(MANY + 2);
  });
});

describe("the names of a registry", () => {
  test("are at most eight, and the one that the registry claims comes first", async () => {
    await emit(...briefly(SHARED, "mine"));
    const labels = Array.from({ length: MAX_MOUNTS + 2 }, (_, number) => `squat${number}`);
    await emit(...labels.flatMap((label) => register(ETH, { label, owner: BOB, subregistry: SHARED })));
    expect(await rows("select mounts from ensv2_registries where registry = $1", lower(SHARED))).toEqual([
      { mounts: MAX_MOUNTS },
    ]);
    await emit(registryLog(SHARED, "ParentUpdated", { parent: ETH, label: "home", sender: ALICE }));
    await emit(...register(ETH, { label: "home", owner: ALICE, subregistry: SHARED }));
    const first = await rows(
      "select node from ensv2_mounts where registry = $1 and position = 0",
      lower(SHARED),
    );
    expect(first).toEqual([{ node: namehash("home.eth") }]);
    expect(await countBelow("home.eth", SHARED)).toBe(1);
    const found = await rows("select 1 from domains where registry = $1", lower(SHARED));
    expect(found).toHaveLength(MAX_MOUNTS);
  });

  test("start with the one that the registry claims, even if it claims it after the link", async () => {
    await emit(registryLog(SHARED, "ParentUpdated", { parent: ETH, label: "squat9", sender: ALICE }));
    const first = await rows(
      "select node from ensv2_mounts where registry = $1 and position = 0",
      lower(SHARED),
    );
    expect(first).toEqual([{ node: namehash("squat9.eth") }]);
    expect(await countBelow("squat9.eth", SHARED)).toBe(1);
  });

  test("are limited to one for the ETH registry", async () => {
    await emit(...register(ETH, { label: "eth-again", owner: BOB, subregistry: ETH }));
    expect(await countBelow("eth-again.eth", ETH)).toBe(0);
  });

  test("have at most 32 labels", async () => {
    const chain = Array.from({ length: 40 }, (_, number) =>
      getAddress(`0x${(0x70_0000 + number).toString(16).repeat(7).slice(0, 40)}`),
    );
    await emit(...register(ETH, { label: "tower", owner: ALICE, subregistry: chain[0] as Address }));
    for (const [index, registry] of chain.entries()) {
      const subregistry = chain[index + 1] ?? zeroAddress;
      await emit(...deployProxy(registry), ...register(registry, { label: "up", owner: ALICE, subregistry }));
    }
    const [row] = await rows<{ most: number }>(
      "select max(cardinality(string_to_array(full_name, '.'))) as most from domains",
    );
    expect(row?.most).toBe(32);
  });

  test("are removed when cut off, and do not grow meanwhile", async () => {
    const levels = Array.from({ length: 20 }, (_, number) =>
      getAddress(`0x${(0x80_0000 + number).toString(16).repeat(7).slice(0, 40)}`),
    );
    for (const [index, registry] of levels.entries()) {
      const subregistry = levels[index + 1] ?? zeroAddress;
      const both = ["left", "right"].flatMap((label) =>
        register(registry, { label, owner: BOB, subregistry }),
      );
      await emit(...deployProxy(registry), ...both);
    }
    await emit(...register(ETH, { label: "maze", owner: BOB, subregistry: levels[0] as Address }));
    await finish();
    const mounts =
      "select count(*)::int as count, max(depth) as deepest from ensv2_mounts where registry = any($1)";
    const all = levels.map(lower);
    const [before] = await rows<{ count: number; deepest: number }>(mounts, all);
    expect(before?.deepest).toBe(21);
    expect(before?.count).toBeLessThanOrEqual(MAX_MOUNTS * levels.length);
    await emit(link(ETH, { label: "maze", subregistry: zeroAddress }));
    expect(await finish()).toBeLessThan(5);
    expect(await rows(mounts, all)).toEqual([{ count: 0, deepest: null }]);
  });

  test("below a mere reservation are left to the registry walk", async () => {
    await emit(...briefly(SMALL, "kid"));
    await emit(...reserve(ETH, { label: "held" }), link(ETH, { label: "held", subregistry: SMALL }));
    expect(await rows("select 1 from domains where registry = $1", lower(SMALL))).toEqual([]);
  });

  test("below an ended entry stay, and the registry walk shows that they do not count", async () => {
    await emit(...register(ETH, { label: "lapses", owner: ALICE, subregistry: SMALL, expiry: 1_000n }));
    expect(await countBelow("lapses.eth", SMALL)).toBe(1);
    await emit(...register(TREE, { label: "unseen", owner: ALICE }), unregister(TREE, { label: "unseen" }));
    expect(
      await rows("select node from events where contract_address = $1 and node is not null", lower(TREE)),
    ).toEqual([]);
  });
});

describe("a log emitted within a registration", () => {
  test("that sets what the registration logs later makes the index ask the chain about the registry", async () => {
    await emit(
      ...register(ETH, { label: "hooked", owner: ALICE, subregistry: HOOKED }),
      ...briefly(HOOKED, "kid"),
    );
    expect(await countBelow("hooked.eth", HOOKED)).toBe(1);
    const hook = [point(HOOKED, { label: "tricky", resolver: RESOLVER })];
    await emit(...register(HOOKED, { label: "tricky", owner: ALICE, resolver: address("52"), hook }));
    expect(await countBelow("hooked.eth", HOOKED)).toBe(0);
    const [proxy] = await rows("select implementation from ensv2_proxies where address = $1", lower(HOOKED));
    expect(proxy).toEqual({ implementation: zeroAddress });
  });
});

test("a batch with more tokens than a transaction can move is cut, and marked", async () => {
  const count = 5_001;
  const [ids, values] = [
    Array.from({ length: count }, () => numberOf("big")),
    Array.from({ length: count }, () => 1n),
  ];
  const args = { operator: ALICE, from: ALICE, to: BOB, ids, values };
  const { transactionHash } = await emit(registryLog(ETH, "TransferBatch", args));
  const found = await rows(
    "select anomaly, ordinal from events where transaction_hash = $1 and anomaly is not null",
    transactionHash,
  );
  expect(found).toEqual([{ anomaly: "more tokens than a transaction can move", ordinal: 5_000 }]);
});

test("waiting work is done before a log in the block of its turn, and precedes it in histories", async () => {
  await finish();
  await emit(...register(ETH, { label: "again", owner: ALICE, subregistry: BIG }));
  const node = namehash("e400.again.eth");
  expect(await rows("select 1 from domains where node = $1", node)).toEqual([]);
  const moved = { operator: BOB, from: BOB, to: ALICE, id: numberOf("e400"), value: 1n };
  await emit(registryLog(BIG, "TransferSingle", moved));
  const owners = await rows(
    `select owner_address from ownership_changes where node = $1 order by block_number, log_index, ordinal`,
    node,
  );
  expect(owners).toEqual([BOB, ALICE].map((owner) => ({ owner_address: lower(owner) })));
});

test("names have the end of the way to them", async () => {
  await finish();
  await expectPathEnds(stage.sql);
});

test("after all that every table equals that of an index that saw only the last branch", async () => {
  await stage.stack.waitForHead();
  await expectUndisturbed(stage.stack, stage.local);
});
