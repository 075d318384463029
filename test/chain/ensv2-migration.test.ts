import { type Address, type Hex, hexToBigInt, namehash, type TransactionReceipt, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  buyName,
  changeToEnsv2,
  clearInGraveyard,
  contractOf,
  deployResolver,
  deployUserRegistry,
  ethNode,
  FUSES,
  fundForEnsv2,
  grantRoles,
  latestTime,
  migrateLocked,
  migrateSubname,
  migrateUnwrapped,
  migrateWrapped,
  ROLES,
  registerEntry,
  registerReferred,
  registerWrapped,
  renewEntry,
  renewName,
  setChildFuses,
  setParent,
  setSubregistry,
  setWrappedSubnodeOwner,
  transferEntry,
  unregisterEntry,
  writeAllToResolver,
  YEAR,
} from "../devnet/acts.ts";
import { lower, openStage, type Stage } from "./stage.ts";

/*
 * What the tables hold of names that go from ENSv1 to ENSv2, and of names of ENSv2, held against what the contracts (doubles)
 * answer.
 */

let stage: Stage;
let migrated: Record<"plain" | "soft" | "locked" | "hard", TransactionReceipt>;
const BOUND = 2n ** 64n - 1n;

beforeAll(async () => {
  stage = await openStage({ ensv2: true });
  const { chain, cast } = stage;
  const { deployer, alice, bob } = cast;
  await registerReferred(chain, { from: alice, label: "plain", resolver: "resolver5" });
  await registerWrapped(chain, { from: alice, label: "soft", resolver: "resolver4" });
  await registerReferred(chain, { from: alice, label: "waits", resolver: "resolver5" });
  const fuses = FUSES.CANNOT_UNWRAP;
  await registerWrapped(chain, { from: alice, label: "locked", resolver: "resolver4", fuses });
  const parent = ethNode("locked");
  const expiry = (await latestTime(chain)) + 10n * YEAR;
  for (const label of ["hard", "stays"])
    await setWrappedSubnodeOwner(chain, { from: alice, parent, label, owner: bob });
  const emancipated = FUSES.PARENT_CANNOT_CONTROL | FUSES.CANNOT_UNWRAP;
  await setChildFuses(chain, { from: alice, parent, label: "hard", fuses: emancipated, expiry });
  const names = ["plain", "soft", "locked", "waits"].map((label) => ({ label }));
  await changeToEnsv2(chain, { from: deployer, names });
  for (const account of [alice, bob]) await fundForEnsv2(chain, { account });
  migrated = {
    plain: await migrateUnwrapped(chain, { from: alice, label: "plain", owner: bob }),
    soft: await migrateWrapped(chain, {
      from: alice,
      label: "soft",
      resolver: addressOf(chain, "publicResolverV2"),
    }),
    locked: await migrateLocked(chain, { from: alice, label: "locked", registry: "ofLocked" }),
    hard: await migrateSubname(chain, {
      ...{ from: bob, label: "hard", parent: "ofLocked", parentNode: parent, registry: "ofHard" },
    }),
  };
}, 300_000);
afterAll(() => stage?.close());

const rows = <Row extends Record<string, unknown>>(text: string, ...values: unknown[]) =>
  stage.sql<Row>(text, values);

const domainOf = async (name: string) =>
  (
    await rows<Record<string, unknown>>(
      `select registry, effective_owner_address as owner, expiry_timestamp::text as expiry, resolver, is_wrapped,
         registry_owner, registrar_owner, wrapper_owner from domains where node = $1`,
      namehash(name),
    )
  )[0];

const at = (name: string): Hex => lower(addressOf(stage.chain, name));

type EntryRow = {
  registry: Address;
  storage_id: Hex;
  token_id: string;
  resource: string | null;
  owner: Address | null;
  expiry: string;
  subregistry: Address | null;
  resolver: Address | null;
  label: string;
};

/** Holds each entry of the tables against its registry, as of the newest block. Gives how many there are. */
async function compareEntries(): Promise<number> {
  const entries = await rows<EntryRow>(
    `select e.*, e.token_id::text, e.resource::text, e.expiry::text, coalesce(l.label, d.label) as label
     from ensv2_entries e left join labels l using (labelhash) left join domains d on d.labelhash = e.labelhash`,
  );
  const { abi } = contractOf(stage.chain, "ethRegistry");
  const ask = <T>(address: Address, functionName: string, args: unknown[]) =>
    stage.chain.client.readContract({ address, abi, functionName, args }) as Promise<T>;
  const { timestamp } = await stage.chain.client.getBlock();
  for (const entry of entries) {
    const { registry, label } = entry;
    type State = { expiry: bigint; latestOwner: Address; tokenId: bigint; resource: bigint };
    const state = await ask<State>(registry, "getState", [hexToBigInt(entry.storage_id)]);
    const isLive = BigInt(entry.expiry) > timestamp;
    expect({ label, expiry: BigInt(entry.expiry), owner: entry.owner ?? zeroAddress }, label).toEqual({
      ...{ label, expiry: state.expiry, owner: lower(state.latestOwner) },
    });
    if (isLive) expect(BigInt(entry.token_id), label).toBe(state.tokenId);
    if (isLive && entry.owner) expect(BigInt(entry.resource ?? -1), label).toBe(state.resource);
    const shown = (address: Address | null) => (isLive && address ? address : zeroAddress);
    expect(lower(await ask<Address>(registry, "getSubregistry", [label])), label).toBe(
      shown(entry.subregistry),
    );
    expect(lower(await ask<Address>(registry, "getResolver", [label])), label).toBe(shown(entry.resolver));
  }
  return entries.length;
}

const ownersOf = async (name: string) =>
  (
    await rows<{ owner_address: Address | null; reason: string | null; event_type: string }>(
      "select owner_address, reason, event_type from ownership_changes where node = $1 order by block_number, log_index, ordinal",
      namehash(name),
    )
  ).map((row) => [row.owner_address, row.reason, row.event_type]);

describe("the change to ENSv2", () => {
  test("has its phases in their order, each with its block", async () => {
    const phases = await rows<{ phase: string }>(
      "select phase from ensv2_phases order by block_number, phase",
    );
    expect(phases.map(({ phase }) => phase)).toEqual([
      "deployed",
      "reserving",
      "frozen",
      "handed_over",
      "open",
      "public",
    ]);
  });

  test("leaves a name that is only reserved to ENSv1", async () => {
    const [entry] = await rows<EntryRow & { is_registered: boolean }>(
      "select * from ensv2_entries e join labels l using (labelhash) where l.label = 'waits'",
    );
    expect(entry).toMatchObject({ is_registered: false, owner: null, resolver: at("ensV1Resolver") });
    expect(await domainOf("waits.eth")).toMatchObject({
      ...{ registry: null, owner: lower(stage.cast.alice), resolver: at("resolver5") },
    });
  });
});

describe("a migration", () => {
  test("of a name that is not wrapped: ENSv2 answers, ENSv1's columns stay ENSv1's", async () => {
    const { alice, bob } = stage.cast;
    expect(await domainOf("plain.eth")).toMatchObject({
      ...{ registry: at("ethRegistry"), owner: lower(bob), resolver: null, is_wrapped: false },
      ...{ registry_owner: at("graveyard"), registrar_owner: at("graveyard"), wrapper_owner: null },
    });
    const owners = await ownersOf("plain.eth");
    expect(owners.at(-1)).toEqual([lower(bob), "token", "LabelRegistered"]);
    expect(owners.some(([owner]) => owner === lower(alice))).toBe(true);
  });

  test("of a wrapped name", async () => {
    expect(await domainOf("soft.eth")).toMatchObject({
      ...{ registry: at("ethRegistry"), owner: lower(stage.cast.alice), resolver: at("publicResolverV2") },
      ...{ is_wrapped: false, wrapper_owner: null },
    });
  });

  test("of a locked name, and of its subname", async () => {
    const { alice, bob } = stage.cast;
    expect(await domainOf("locked.eth")).toMatchObject({
      ...{
        registry: at("ethRegistry"),
        owner: lower(alice),
        is_wrapped: false,
        wrapper_owner: at("graveyard"),
      },
    });
    expect(await domainOf("hard.locked.eth")).toMatchObject({ registry: at("ofLocked"), owner: lower(bob) });
    // Not migrated: what ENSv1 stores stays, and answers treat it.
    expect(await domainOf("stays.locked.eth")).toMatchObject({ registry: null, wrapper_owner: lower(bob) });
    const [entry] = await rows<{ registered_by: Address; subregistry: Address }>(
      "select registered_by, subregistry from ensv2_entries where registry = $1",
      at("ofLocked"),
    );
    expect(entry).toEqual({ registered_by: at("ofLocked"), subregistry: at("ofHard") });
    const claims = await rows(
      "select registry, parent_registry, parent_label from ensv2_registries where parent_label = 'hard'",
    );
    expect(claims).toEqual([
      { registry: at("ofHard"), parent_registry: at("ofLocked"), parent_label: "hard" },
    ]);
  });

  test("goes on when the graveyard takes what is left in ENSv1", async () => {
    const { chain, cast } = stage;
    const before = await domainOf("soft.eth");
    await clearInGraveyard(chain, { from: cast.dave, names: [["soft", "eth"]] });
    const after = await domainOf("soft.eth");
    const { registry_owner, registrar_owner, ...answered } = after ?? {};
    expect(before).toMatchObject(answered);
    expect((await ownersOf("soft.eth")).at(-1)?.slice(0, 2)).toEqual([lower(cast.alice), "token"]);
    expect(await rows("select 1 from events where anomaly is not null")).toEqual([]);
  });

  test("has the logs of both systems in the name's history, in their order", async () => {
    const found = await rows<{ contract: string; event_type: string }>(
      "select contract, event_type from events where transaction_hash = $1 and node = $2 order by log_index",
      migrated.plain.transactionHash,
      ethNode("plain"),
    );
    expect(found.map((row) => `${row.contract} ${row.event_type}`)).toEqual([
      ...["REGISTRAR Transfer", "REGISTRY NewOwner", "REGISTRY Transfer", "REGISTRY NewResolver"],
      ...["REGISTRAR Transfer", "ENSV2_REGISTRY LabelRegistered", "ENSV2_REGISTRY TransferSingle"],
      ...["ENSV2_REGISTRY TokenResource", "ENSV2_REGISTRY EACRolesChanged"],
    ]);
  });

  test("agrees with what the registries answer", async () => {
    expect(await compareEntries()).toBeGreaterThan(6);
  });
});

describe("names of ENSv2", () => {
  test("are bought and renewed for tokens", async () => {
    const { chain, cast } = stage;
    await buyName(chain, { from: cast.alice, label: "bought", duration: YEAR, token: "dai" });
    await renewName(chain, { from: cast.bob, label: "bought" });
    const found = await rows<Record<string, unknown>>(
      `select p.event_type, p.payment_token, p.amount = coalesce(p.base + p.premium, p.amount) as is_sum,
         p.duration_seconds::int as seconds, e.contract, e.payment_token = p.payment_token and e.token_amount = p.amount as is_same
       from ensv2_purchases p join events e using (chain_id, block_number, log_index) where p.node = $1 order by p.block_number`,
      ethNode("bought"),
    );
    const same = { is_sum: true, is_same: true, seconds: Number(YEAR), contract: "ENSV2_REGISTRAR" };
    expect(found).toEqual([
      { event_type: "NameRegistered", payment_token: at("dai"), ...same },
      { event_type: "NameRenewed", payment_token: at("usdc"), ...same },
    ]);
    expect(await domainOf("bought.eth")).toMatchObject({ owner: lower(cast.alice) });
  });

  test("that are reserved are renewed in both systems at once", async () => {
    const { chain, cast } = stage;
    const before = await domainOf("waits.eth");
    await renewName(chain, { from: cast.alice, label: "waits", registrar: "renewerV1" });
    const after = await domainOf("waits.eth");
    expect(BigInt(String(after?.expiry)) - BigInt(String(before?.expiry))).toBe(YEAR);
    expect(after?.registry).toBeNull();
    const paid = await rows(
      "select contract from events where node = $1 and contract = 'ENSV2_RENEWER'",
      ethNode("waits"),
    );
    expect(paid).toHaveLength(1);
  });

  test("have registries and resolvers of their own", async () => {
    const { chain, cast } = stage;
    await deployResolver(chain, { from: cast.alice, name: "own" });
    await deployUserRegistry(chain, { from: cast.alice, name: "below" });
    const [resolver, subregistry] = [addressOf(chain, "own"), addressOf(chain, "below")];
    await buyName(chain, { from: cast.alice, label: "deep", resolver, subregistry });
    await setParent(chain, {
      from: cast.alice,
      registry: "below",
      parent: addressOf(chain, "ethRegistry"),
      label: "deep",
    });
    await registerEntry(chain, {
      from: cast.alice,
      registry: "below",
      label: "kid",
      owner: cast.bob,
      resolver,
    });
    await registerEntry(chain, {
      from: cast.alice,
      registry: "below",
      label: "gone",
      owner: cast.bob,
      expiry: BOUND,
    });
    await unregisterEntry(chain, { from: cast.alice, registry: "below", label: "gone" });
    await renewEntry(chain, { from: cast.alice, registry: "below", label: "gone", expiry: BOUND });
    await grantRoles(chain, {
      from: cast.alice,
      label: "deep",
      roles: ROLES.setResolver,
      account: cast.carol,
    });
    const name = ["deep", "eth"];
    const writes = [
      { name, write: { kind: "text", key: "url", value: "https://deep.example" } as const },
      { name, write: { kind: "address", coinType: 60n, bytes: cast.carol } as const },
      { name: ["kid", ...name], write: { kind: "link", node: namehash("deep.eth") } as const },
    ];
    await writeAllToResolver(chain, { from: cast.alice, resolver: "own", writes });
    await buyName(chain, { from: cast.bob, label: "sold" });
    await transferEntry(chain, { from: cast.bob, label: "sold", to: cast.carol });
    await setSubregistry(chain, { from: cast.carol, label: "sold", subregistry });
    expect(await domainOf("kid.deep.eth")).toMatchObject({
      registry: at("below"),
      owner: lower(cast.bob),
      resolver: at("own"),
    });
    expect(await domainOf("kid.sold.eth")).toMatchObject({ registry: at("below"), owner: lower(cast.bob) });
    expect(await domainOf("sold.eth")).toMatchObject({ owner: lower(cast.carol) });
    const families = await rows<{ contract: string }>(
      "select distinct contract from events where contract_address = $1",
      at("own"),
    );
    expect(families).toEqual([{ contract: "ENSV2_RESOLVER" }]);
    const record = `0x${"1".padStart(64, "0")}`;
    expect(
      await rows("select node, record from ensv2_links where resolver = $1 order by node", at("own")),
    ).toEqual([namehash("deep.eth"), namehash("kid.deep.eth")].toSorted().map((node) => ({ node, record })));
    expect(await rows("select node, value from text_records where resolver = $1", at("own"))).toEqual([
      { node: record, value: "https://deep.example" },
    ]);
    const held = await rows<{ roles: string }>(
      `select r.roles::text from ensv2_roles r join ensv2_entries e on r.resource = e.resource and r.contract = e.registry
       join labels l using (labelhash) where l.label = 'deep' and r.account = $1`,
      lower(cast.carol),
    );
    expect(held).toEqual([{ roles: String(ROLES.setResolver) }]);
    const proxies = await rows<{ implementation: Address }>(
      "select implementation from ensv2_proxies where address = any($1) order by implementation",
      [at("own"), at("below")],
    );
    expect(proxies.map((row) => row.implementation)).toEqual(
      [at("userRegistryCode"), at("resolverCode")].toSorted(),
    );
    await compareEntries();
  });

  test("no log was refused or failed", async () => {
    expect(await rows("select contract, event_type, anomaly from events where anomaly is not null")).toEqual(
      [],
    );
  });
});
