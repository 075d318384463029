import { type Address, getAddress, type Hex, keccak256, namehash, toHex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashLabel, latestTime, rpc, setNextTime } from "../../devnet/acts.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { MAX_MOUNTS } from "../../src/indexing/write/ensv2/mounts.ts";
import { type Emission, type Emit, emitterOn, logOf } from "./emittedLogs.ts";
import {
  ALICE,
  BOB,
  CAROL,
  deployProxy,
  ETH,
  FOREIGN_CODE,
  foundations,
  LABEL_STORE,
  LATER,
  link,
  move,
  numberOf,
  point,
  REGISTRAR,
  REGISTRY_CODE,
  register,
  registryLog,
  reserve,
  storageIdOf,
  V1_RESOLVER,
  withEnsv2,
} from "./ensv2Logs.ts";
import { expectPathEnds } from "./ensv2Paths.ts";
import { lower, type Stage, stageOf } from "./stage.ts";

/* The tables after logs of ENSv2, in each order in which its contracts make them. */

let stage: Stage;
let emit: Emit;

const RESOLVER = address("51");
const OTHER_RESOLVER = address("52");

beforeAll(async () => {
  const local = await startLocalChain();
  emit = await emitterOn(local.chain, local);
  await emit(...foundations());
  stage = await stageOf({ ...local, deployment: withEnsv2(local) });
});
afterAll(() => stage?.close());

function address(digits: string): Address {
  return getAddress(`0x${digits.repeat(20)}`);
}

const rows = <Row extends Record<string, unknown>>(text: string, ...values: unknown[]) =>
  stage.sql<Row>(text, values);

const entryOf = async (registry: Address, label: string) =>
  (
    await rows<Record<string, unknown>>(
      `select token_id::text, resource::text, owner, expiry::text, subregistry, resolver, is_registered
       from ensv2_entries where registry = $1 and storage_id = $2`,
      lower(registry),
      storageIdOf(label),
    )
  )[0];

const domainOf = async (name: string) =>
  (
    await rows<Record<string, unknown>>(
      `select full_name, registry, effective_owner_address as owner, expiry_timestamp::text as expiry, resolver
       from domains where node = $1`,
      namehash(name),
    )
  )[0];

const typesOf = async ({ transactionHash }: { transactionHash: Hex }) =>
  rows<{ event_type: string; node: Hex | null; ordinal: number }>(
    "select event_type, node, ordinal from events where transaction_hash = $1 order by log_index, ordinal",
    transactionHash,
  );

const ownersOf = async (name: string) =>
  rows("select from ownership_changes where node = $1", namehash(name));

describe("facts that logs do not state", () => {
  test("transfers of nothing change nothing, item by item", async () => {
    await emit(
      ...register(ETH, { label: "still", owner: ALICE }),
      ...register(ETH, { label: "moves", owner: ALICE }),
    );
    const never = numberOf("still", 77);
    const receipt = await emit(
      move(ETH, { from: ALICE, to: BOB, id: numberOf("still"), value: 0n }),
      move(ETH, { from: ALICE, to: BOB, id: never, value: 0n }),
      registryLog(ETH, "TransferBatch", {
        operator: ALICE,
        from: ALICE,
        to: BOB,
        ids: [numberOf("still"), numberOf("moves"), never],
        values: [0n, 1n, 0n],
      }),
      registryLog(ETH, "TransferBatch", {
        operator: ALICE,
        from: ALICE,
        to: BOB,
        ids: [never],
        values: [0n],
      }),
    );
    expect(await domainOf("still.eth")).toMatchObject({ owner: lower(ALICE) });
    expect(await domainOf("moves.eth")).toMatchObject({ owner: lower(BOB) });
    expect((await typesOf(receipt)).map((row) => row.node)).toEqual([
      namehash("still.eth"),
      namehash("still.eth"),
      namehash("moves.eth"),
      null,
    ]);
    const held = await rows(
      "select 1 from holders where address = $1 and node = $2",
      lower(BOB),
      namehash("still.eth"),
    );
    expect(held).toEqual([]);
    expect(await ownersOf("moves.eth")).toHaveLength(2);
  });

  test("a reservation after a registration that ended leaves the name to ENSv2", async () => {
    await emit(...register(ETH, { label: "rereserved", owner: ALICE, expiry: 1_000n }));
    await emit(
      move(ETH, { from: ALICE, to: zeroAddress, id: numberOf("rereserved") }),
      ...reserve(ETH, { label: "rereserved", token: 1, resolver: V1_RESOLVER }),
    );
    expect(await domainOf("rereserved.eth")).toMatchObject({
      registry: lower(ETH),
      owner: null,
      expiry: String(LATER),
      resolver: lower(V1_RESOLVER),
    });
  });

  test("logs for unknown labels are kept, and change nothing", async () => {
    const receipt = await emit(
      point(ETH, { label: "never-told", resolver: RESOLVER }),
      move(ETH, { from: ALICE, to: BOB, id: numberOf("never-told") }),
    );
    expect((await typesOf(receipt)).map((row) => row.node)).toEqual([null, null]);
    expect(await entryOf(ETH, "never-told")).toBeUndefined();
  });
});

describe("labels", () => {
  /** The logs of a registration whose label is these bytes. */
  const registerBytes = (bytes: Hex): Emission[] => {
    const labelHash = keccak256(bytes);
    const tokenId = (BigInt(labelHash) >> 32n) << 32n;
    const args = { tokenId, labelHash, owner: ALICE, expiry: LATER, sender: REGISTRAR };
    const asText = registryLog(ETH, "LabelRegistered", { ...args, label: "" });
    const asBytes = logOf(
      "event LabelRegistered(uint256 indexed tokenId, bytes32 indexed labelHash, bytes label, address owner, uint64 expiry, address indexed sender)",
      { ...args, label: bytes },
    );
    return [
      { by: ETH, log: { topics: asText.log.topics, data: asBytes.data } },
      registryLog(ETH, "TokenResource", { tokenId, resource: tokenId }),
    ];
  };

  test.each<[string, Hex, (hash: string) => string]>([
    ["with a byte order mark", toHex("\ufeffmarked"), () => "\ufeffmarked.eth"],
    ["that are not UTF-8", "0xff00fe", (hash) => `[${hash}].eth`],
    ["with a dot", toHex("a.b"), (hash) => `[${hash}].eth`],
    ["with NUL", "0x610062", (hash) => `[${hash}].eth`],
    ["of 255 bytes", toHex("x".repeat(255)), () => `${"x".repeat(255)}.eth`],
    ["that are not normalised", toHex("CAPITAL"), () => "CAPITAL.eth"],
  ])("%s are names of their bytes", async (_, bytes, nameOf) => {
    await emit(...registerBytes(bytes));
    const hash = keccak256(bytes);
    const [row] = await rows<{ full_name: string; owner: Hex }>(
      "select full_name, effective_owner_address as owner from domains where labelhash = $1",
      hash,
    );
    expect(row).toEqual({ full_name: nameOf(hash.slice(2)), owner: lower(ALICE) });
  });

  test("stored by anybody name the entry with their hash", async () => {
    const label = "told-by-the-store";
    const node = hashLabel(label);
    await emit({
      by: LABEL_STORE,
      log: logOf("event Label(bytes32 indexed labelHash, string label)", { labelHash: node, label }),
    });
    const wrong = { labelHash: hashLabel("another"), label: "not-that" };
    await emit({
      by: LABEL_STORE,
      log: logOf("event Label(bytes32 indexed labelHash, string label)", wrong),
    });
    const found = await rows("select label from labels where labelhash = any($1)", [node, wrong.labelHash]);
    expect(found).toEqual([{ label }]);
  });

  test("are kept and change nothing if their hash is not the token's", async () => {
    const args = {
      tokenId: numberOf("one"),
      labelHash: hashLabel("two"),
      label: "two",
      owner: ALICE,
      expiry: LATER,
      sender: REGISTRAR,
    };
    const { transactionHash } = await emit(registryLog(ETH, "LabelRegistered", args));
    const found = await rows("select node, anomaly from events where transaction_hash = $1", transactionHash);
    expect(found).toEqual([{ node: null, anomaly: "the token is not that of the labelhash" }]);
    expect(await entryOf(ETH, "two")).toBeUndefined();
  });
});

describe("user registries", () => {
  const [first, foreign] = [address("d1"), address("d3")];

  test("can be linked before they are deployed, with names below at once", async () => {
    await emit(...register(ETH, { label: "parent", owner: ALICE, subregistry: first }));
    await emit(...deployProxy(first));
    await emit(...register(first, { label: "child", owner: BOB, resolver: OTHER_RESOLVER }));
    expect(await domainOf("child.parent.eth")).toMatchObject({
      full_name: "child.parent.eth",
      registry: lower(first),
      owner: lower(BOB),
      resolver: lower(OTHER_RESOLVER),
    });
  });

  test("below two parents have two names, and so two rows, for each entry", async () => {
    await emit(...register(ETH, { label: "second", owner: CAROL, subregistry: first }));
    expect(await domainOf("child.second.eth")).toMatchObject({ registry: lower(first), owner: lower(BOB) });
    const receipt = await emit(move(first, { from: BOB, to: ALICE, id: numberOf("child") }));
    expect(await typesOf(receipt)).toEqual([
      { event_type: "TransferSingle", node: namehash("child.parent.eth"), ordinal: 0 },
      { event_type: "TransferSingle", node: namehash("child.second.eth"), ordinal: 1 },
    ]);
    for (const name of ["child.parent.eth", "child.second.eth"])
      expect(await domainOf(name)).toMatchObject({ owner: lower(ALICE) });
  });

  test("leave names without owner and resolver when they are removed", async () => {
    await emit(link(ETH, { label: "second", subregistry: zeroAddress }));
    expect(await domainOf("child.second.eth")).toMatchObject({
      registry: zeroAddress,
      owner: null,
      expiry: null,
      resolver: null,
    });
    expect(await domainOf("child.parent.eth")).toMatchObject({ registry: lower(first), owner: lower(ALICE) });
    await emit(link(ETH, { label: "second", subregistry: first }));
    expect(await domainOf("child.second.eth")).toMatchObject({ registry: lower(first), owner: lower(ALICE) });
  });

  test("keep their name when they are no longer below themselves", async () => {
    const third = address("73");
    await emit(
      ...deployProxy(third),
      ...register(third, { label: "round", owner: ALICE, subregistry: third }),
      ...register(ETH, { label: "once", owner: ALICE, subregistry: third }),
    );
    const names = () =>
      rows<{ full_name: string }>("select full_name from domains where registry = $1", lower(third));
    expect((await names()).map((row) => row.full_name)).toEqual(["round.once.eth"]);
    await emit(link(third, { label: "round", subregistry: zeroAddress }));
    expect((await names()).map((row) => row.full_name)).toEqual(["round.once.eth"]);
  });

  test("with unknown code answer nothing, and their earlier logs no longer count", async () => {
    await emit(...deployProxy(foreign), ...register(foreign, { label: "kid", owner: ALICE }));
    await emit(...register(ETH, { label: "upgraded", owner: ALICE, subregistry: foreign }));
    expect(await domainOf("kid.upgraded.eth")).toMatchObject({
      registry: lower(foreign),
      owner: lower(ALICE),
    });
    await emit(registryLog(foreign, "Upgraded", { implementation: FOREIGN_CODE }));
    expect(await domainOf("kid.upgraded.eth")).toMatchObject({ registry: zeroAddress, owner: null });
    await emit(
      registryLog(foreign, "Upgraded", { implementation: REGISTRY_CODE }),
      ...register(foreign, { label: "liar", owner: ALICE }),
    );
    expect(await entryOf(foreign, "liar")).toBeUndefined();
    const proxies = await rows(
      "select implementation, deployed_by from ensv2_proxies where address = $1",
      lower(foreign),
    );
    expect(proxies).toEqual([{ implementation: zeroAddress, deployed_by: lower(ALICE) }]);
  });
});

describe("the end of the way to a name", () => {
  const [above, below] = [address("a7"), address("a8")];
  const [soon, later] = [LATER - 5_000n, LATER - 1_000n];
  const renew = (by: Address, label: string, newExpiry: bigint) =>
    registryLog(by, "ExpiryUpdated", { tokenId: numberOf(label), newExpiry, sender: ALICE });
  const pathOf = async (name: string) =>
    (
      await rows<{ path: string | null }>(
        "select path_expiry_timestamp::text as path from domains where node = $1",
        namehash(name),
      )
    )[0]?.path;

  const endsBefore = (name: string) =>
    rows(
      `select owner_address as owner, previous_path_expiry_timestamp::text as path from ownership_changes
       where node = $1 order by block_number, log_index, ordinal`,
      namehash(name),
    );

  test("is that of the first entry above it to end", async () => {
    await emit(
      ...deployProxy(above),
      ...deployProxy(below),
      ...register(below, { label: "leaf", owner: ALICE }),
      ...register(above, { label: "stem", owner: ALICE, subregistry: below, expiry: later }),
      ...register(ETH, { label: "tree", owner: ALICE, subregistry: above, expiry: soon }),
      ...register(ETH, { label: "tree2", owner: ALICE, subregistry: above }),
    );
    // The entry of `eth` never ends.
    expect(await pathOf("tree.eth")).toBeNull();
    expect(await pathOf("stem.tree.eth")).toBe(String(soon));
    expect(await pathOf("leaf.stem.tree.eth")).toBe(String(soon));
    expect(await pathOf("stem.tree2.eth")).toBe(String(LATER));
    expect(await pathOf("leaf.stem.tree2.eth")).toBe(String(later));
    await expectPathEnds(stage.sql);
  });

  test("follows a renewal far above, and an early end", async () => {
    await emit(renew(ETH, "tree", LATER));
    expect(await pathOf("leaf.stem.tree.eth")).toBe(String(later));
    await emit(renew(above, "stem", LATER + 1n));
    expect(await pathOf("leaf.stem.tree.eth")).toBe(String(LATER));
    // No end had passed: the first row of the name is the only one.
    expect(await endsBefore("leaf.stem.tree.eth")).toEqual([{ owner: lower(ALICE), path: null }]);
    expect(await pathOf("leaf.stem.tree2.eth")).toBe(String(LATER));
    const { blockNumber } = await emit(
      registryLog(ETH, "LabelUnregistered", { tokenId: numberOf("tree"), sender: ALICE }),
    );
    const [{ at } = { at: "" }] = await rows<{ at: string }>(
      "select distinct block_timestamp::text as at from events where block_number = $1",
      Number(blockNumber),
    );
    expect(await pathOf("leaf.stem.tree.eth")).toBe(at);
    expect(await endsBefore("leaf.stem.tree.eth")).toEqual([
      { owner: lower(ALICE), path: null },
      { owner: lower(ALICE), path: String(LATER) },
    ]);
    expect(await pathOf("leaf.stem.tree2.eth")).toBe(String(LATER));
    await expectPathEnds(stage.sql);
  });

  test("is the previous one if a reorganisation removes the renewal", async () => {
    await emit(renew(ETH, "tree2", soon));
    expect(await pathOf("leaf.stem.tree2.eth")).toBe(String(soon));
    await stage.stack.waitForHead();
    await rpc(stage.chain, "anvil_rollback", [1]);
    await emit(...register(ETH, { label: "fork", owner: ALICE }));
    await emit(...register(ETH, { label: "fork2", owner: ALICE }));
    await stage.stack.waitForHead();
    expect(await pathOf("leaf.stem.tree2.eth")).toBe(String(LATER));
    await expectPathEnds(stage.sql);
  });

  test("decides which names of a registry are followed when it has too many", async () => {
    const shared = address("a9");
    await emit(...deployProxy(shared), ...register(shared, { label: "kid", owner: ALICE }));
    const dead = Array.from({ length: MAX_MOUNTS }, (_, number) => `dead${number}`);
    await emit(
      ...dead.flatMap((label) => register(ETH, { label, owner: BOB, subregistry: shared, expiry: 1_000n })),
    );
    expect(await domainOf("kid.dead0.eth")).toMatchObject({ registry: lower(shared) });
    await emit(...register(ETH, { label: "lives", owner: ALICE, subregistry: shared }));
    expect(await domainOf("kid.lives.eth")).toMatchObject({ registry: lower(shared), owner: lower(ALICE) });
    await emit(...register(ETH, { label: "dies", owner: ALICE, subregistry: shared, expiry: 2_000n }));
    expect(await domainOf("kid.dies.eth")).toBeUndefined();
    await expectPathEnds(stage.sql);
  });
});

describe("an owner below a registry that is linked later", () => {
  const late = address("aa");
  const owners = async (name: string) => {
    await stage.stack.waitForHead();
    const { status, body } = await stage.stack.api<{
      history: { owner: string; from: unknown; to: unknown }[];
    }>(`/domain/${name}/ownership-history`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };

  test("owns the name until the entry expires, as logged before the name was known", async () => {
    const soon = BigInt(await latestTime(stage.chain)) + 1_000n;
    await emit(
      ...deployProxy(late),
      ...register(late, { label: "over", owner: ALICE, expiry: 1_000n }),
      ...register(late, { label: "ends", owner: ALICE, expiry: soon }),
    );
    await emit(...register(ETH, { label: "late", owner: BOB, subregistry: late }));
    await setNextTime(stage.chain, soon + 10n);
    await emit(...register(ETH, { label: "anything", owner: BOB }));
    expect(JSON.stringify(await owners("ends.late.eth"))).toContain(String(soon));
    expect(JSON.stringify(await owners("over.late.eth")).toLowerCase()).not.toContain(lower(ALICE));
  });
});
