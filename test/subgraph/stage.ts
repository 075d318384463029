import { zeroAddress } from "viem";
import { expect } from "vitest";
import {
  addressOf,
  clearRecords,
  DAY,
  ethNode,
  FUSES,
  GRACE,
  hashLabel,
  latestTime,
  nodeOf,
  PREMIUM,
  ROOT_NODE,
  registerReferred,
  registerV3,
  registerWrapped,
  renew,
  renewReferred,
  send,
  setOwner,
  setResolver,
  setReverseName,
  setSubnodeOwner,
  setTTL,
  setWrappedSubnodeRecord,
  transferRegistration,
  transferWrapped,
  unwrapETH2LD,
  warp,
  wrapETH2LD,
  wrapName,
  writeRecord,
  writeRecords,
  YEAR,
} from "../../devnet/acts.ts";
import { openStage, type Stage } from "../chain/stage.ts";

/** The single stage of all sections: a chain with a story for each part of the schema, and a Namedex that indexes it. */
export let stage: Stage;

/** `expiryDate` of the wrapped subname. */
export let subnameExpiry: bigint;

export async function openSubgraphStage(): Promise<void> {
  stage = await openStage({ before: tellStory });
  await mintMore();
}

export const closeSubgraphStage = (): Promise<void> | undefined => stage?.close();

type Acts = Parameters<NonNullable<NonNullable<Parameters<typeof openStage>[0]>["before"]>>;

/** Acts indexed by the backfill. */
async function tellStory(chain: Acts[0], cast: Acts[1]): Promise<void> {
  await moveToRegistryOf2020(chain, cast);
  const { alice, bob, carol, dave } = cast;
  const resolver = "resolver5";
  const at = addressOf(chain, resolver);
  // A name that lapses, is registered again by another account, and changes hands.
  await registerV3(chain, { from: dave, label: "again", duration: 28n * DAY });
  await warp(chain, { seconds: 28n * DAY + GRACE + PREMIUM + DAY });
  await registerReferred(chain, { from: alice, label: "again", duration: 3n * YEAR });
  await transferRegistration(chain, { from: alice, label: "again", to: bob });
  // Records, cleared and set again.
  const records = [
    { kind: "text", key: "url", value: "https://one.example" },
    { kind: "text", key: "avatar", value: "https://one.example/a.png" },
    { kind: "text", key: "nul\0key", value: "nul\0value" },
    { kind: "addr", address: bob },
    { kind: "coin", coinType: 0n, bytes: "0x00" },
    {
      kind: "contenthash",
      hash: "0xe3010170122023e0160eec32d7875c19c5ac7c03bc1f306dc260080d621454bc5f631e7310a7",
    },
    { kind: "abi", contentType: 1n, data: "0x7b7d" },
    { kind: "pubkey", x: `0x${"11".repeat(32)}`, y: `0x${"22".repeat(32)}` },
    { kind: "interface", id: "0x12345678", implementer: carol },
    { kind: "name", name: "records.eth" },
  ] as const;
  await registerReferred(chain, { from: alice, label: "records", resolver, records, duration: 2n * YEAR });
  await registerReferred(chain, { from: alice, label: "cleared", resolver, records: records.slice(0, 5) });
  await clearRecords(chain, { from: alice, resolver, node: ethNode("cleared") });
  await writeRecords(chain, {
    from: alice,
    resolver,
    node: ethNode("cleared"),
    writes: [
      { kind: "text", key: "zeta", value: "1" },
      { kind: "text", key: "alpha", value: "2" },
      { kind: "text", key: "zeta", value: "" },
    ],
  });
  // Subnames: with owners, without, with unknown labels, and one that returned.
  for (const label of ["one", "two", "gone", "back"])
    await setSubnodeOwner(chain, { from: alice, parent: ethNode("records"), label, owner: bob });
  for (const label of ["gone", "back"])
    await setSubnodeOwner(chain, { from: alice, parent: ethNode("records"), label, owner: zeroAddress });
  await setSubnodeOwner(chain, { from: alice, parent: ethNode("records"), label: "back", owner: carol });
  await setSubnodeOwner(chain, { from: bob, parent: nodeOf("one.records.eth"), label: "deep", owner: bob });
  await setResolver(chain, { from: bob, node: nodeOf("one.records.eth"), resolver: at });
  await writeRecord(chain, {
    from: bob,
    resolver,
    node: nodeOf("one.records.eth"),
    write: { kind: "addr", address: alice },
  });
  await setTTL(chain, { from: bob, node: nodeOf("two.records.eth"), ttl: 300n });
  // Wrapped names.
  await registerWrapped(chain, {
    from: carol,
    label: "wrapped",
    duration: 2n * YEAR,
    fuses: FUSES.CANNOT_UNWRAP,
  });
  subnameExpiry = (await latestTime(chain)) + YEAR;
  await setWrappedSubnodeRecord(chain, {
    from: carol,
    parent: ethNode("wrapped"),
    label: "child",
    owner: alice,
    resolver: at,
    fuses: FUSES.PARENT_CANNOT_CONTROL,
    expiry: subnameExpiry,
  });
  await setWrappedSubnodeRecord(chain, {
    from: carol,
    parent: ethNode("wrapped"),
    label: "loose",
    owner: alice,
    resolver: zeroAddress,
    fuses: 0,
    expiry: 0n,
  });
  await transferWrapped(chain, { from: carol, to: bob, node: ethNode("wrapped") });
  await renew(chain, { from: bob, label: "wrapped", controller: "controller4", duration: YEAR });
  await registerReferred(chain, { from: alice, label: "opened" });
  await wrapETH2LD(chain, { from: alice, label: "opened" });
  await unwrapETH2LD(chain, { from: alice, label: "opened" });
  await wrapName(chain, { from: bob, labels: ["two", "records", "eth"] });
  await setReverseName(chain, { from: alice, name: "records.eth" });
}

/** Names of the old registry: one stays there, and the other is created in the new one and then changed in the old one. */
async function moveToRegistryOf2020(chain: Acts[0], { deployer, dave }: Acts[1]): Promise<void> {
  const inOld = { from: dave, registry: "oldRegistry" };
  await setSubnodeOwner(chain, { ...inOld, from: deployer, parent: ROOT_NODE, label: "test", owner: dave });
  for (const label of ["moving", "staying"]) {
    await setSubnodeOwner(chain, { ...inOld, parent: nodeOf("test"), label, owner: dave });
    await setResolver(chain, {
      ...inOld,
      node: nodeOf(`${label}.test`),
      resolver: addressOf(chain, "resolver2"),
    });
    await setTTL(chain, { ...inOld, node: nodeOf(`${label}.test`), ttl: 60n });
  }
  const args = [hashLabel("test"), dave];
  await send(chain, { from: deployer, contract: "root", functionName: "setSubnodeOwner", args });
  await setSubnodeOwner(chain, { from: dave, parent: nodeOf("test"), label: "moving", owner: dave });
  await setTTL(chain, { ...inOld, node: nodeOf("moving.test"), ttl: 90n });
  await setOwner(chain, { ...inOld, node: nodeOf("moving.test"), owner: deployer });
}

/** Acts that arrive live. */
async function mintMore(): Promise<void> {
  const { chain, cast } = stage;
  await setResolver(chain, { from: cast.alice, node: ethNode("cleared"), resolver: zeroAddress });
  await renewReferred(chain, { from: cast.alice, label: "records" });
  await stage.stack.waitForHead();
}

/** The answer to a query: `data`, or the message of the first error. */
export type Reply = { status: number; data?: Record<string, never>; errors?: { message: string }[] };

/** Asks in the way programs do: a POST of JSON. */
export async function post(
  query: string,
  variables: Record<string, unknown> = {},
  { path = "/subgraph", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const body = JSON.stringify({ query, variables });
  const reply = await fetch(`${stage.stack.url}${path}`, { method: "POST", body, headers });
  return { status: reply.status, ...((await reply.json()) as Omit<Reply, "status">) };
}

/** The data of a query without errors. */
export async function ask<Data = Record<string, never>>(
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Data> {
  const { data, errors, status } = await post(query, variables);
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  return data as Data;
}

/** The message of a rejected query. */
export async function refusal(query: string, variables: Record<string, unknown> = {}): Promise<string> {
  const { data, errors, status } = await post(query, variables);
  expect({ status, data }).toEqual({ status: 200, data: undefined });
  return errors?.[0]?.message ?? "";
}

/** The names of a list, in order. */
export async function namesIn(list: string): Promise<(string | null)[]> {
  const { domains } = await ask<{ domains: { name: string | null }[] }>(`{ domains${list} { name } }`);
  return domains.map(({ name }) => name);
}
