import {
  domain,
  ensv2Entry,
  ensv2Link,
  ensv2Mount,
  ensv2Proxy,
  ensv2Registry,
  ensv2Role,
  event,
  resolverChange,
} from "ponder:schema";
import { type Address, getAddress, type Hex, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import {
  contracts,
  ENSV1_RESOLVER,
  ETH_ENTRY,
  ETH_REGISTRY,
  ensv2Row,
  entryRow,
  FAR,
  linkRow,
  proxyRow,
  REGISTRY_CODE,
  RESOLVER,
  RESOLVER_CODE,
  ROOT,
  reservedRow,
  roleRow,
} from "./ensv2.ts";
import { account, at, CHAIN_ID, domainRow, eventRow, STATIC_RESOLVER, transaction } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/* Resolvers and registries by address, on table rows. */

const NOW = 1_700_000_000;
const USER = account(0x3001);
const [ANN, BEN] = [account(0x3002), account(0x3003)] as [Address, Address];

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

const registryRow = (registry: Address, entries: number, fields = {}) => ({
  chainId: CHAIN_ID,
  registry,
  parentRegistry: null,
  parentLabel: null,
  entries,
  firstEntry: null,
  lastShared: null,
  mounts: 1,
  createdBlockNumber: 3,
  ...fields,
});

const mountRow = (registry: Address, name: string, position = 0) => ({
  chainId: CHAIN_ID,
  registry,
  position,
  node: namehash(name),
  depth: name.split(".").length,
  pathExpiryTimestamp: null,
});

const ofRegistry = { contract: "ENSV2_REGISTRY", contractAddress: USER };

const rolesEvent = (
  contract: Address,
  { resource, holder, from, to }: { resource: bigint; holder: Address; from: bigint; to: bigint },
  block: number,
  ordinal = 0,
) =>
  eventRow(
    { block },
    {
      ...ofRegistry,
      contractAddress: contract,
      eventType: "EACRolesChanged",
      ordinal,
      details: JSON.stringify({
        resource: `${resource}`,
        account: holder,
        oldRoles: `${from}`,
        roles: `${to}`,
      }),
    },
  );

const deep = entryRow(ETH_REGISTRY, "deep", { owner: ANN, subregistry: USER, resolver: RESOLVER });
const kids = ["alpha", "beta", "gamma", "delta"].map((label, i) =>
  entryRow(USER, label, {
    owner: i === 0 ? ANN : i === 1 ? BEN : null,
    expiry: label === "delta" ? BigInt(NOW) : FAR,
    subregistry: label === "beta" ? account(0x3009) : null,
  }),
);

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000, time: NOW });
  const { writer } = tables;
  await writer.insert(ensv2Entry).values([ETH_ENTRY, deep, reservedRow("saved", FAR), ...kids]);
  await writer.insert(ensv2Proxy).values([proxyRow(USER, REGISTRY_CODE), proxyRow(RESOLVER, RESOLVER_CODE)]);
  await writer
    .insert(ensv2Registry)
    .values([
      registryRow(ROOT, 1),
      registryRow(ETH_REGISTRY, 2),
      registryRow(USER, 4, { parentRegistry: ETH_REGISTRY, parentLabel: "d\u24000" }),
      registryRow(account(0x3009), 7, { mounts: 0 }),
    ]);
  await writer.insert(ensv2Mount).values([mountRow(ETH_REGISTRY, "eth"), mountRow(USER, "deep.eth")]);
  await writer.insert(domain).values([
    domainRow("eth"),
    ensv2Row("deep.eth", ANN, FAR, { resolver: RESOLVER }),
    ...["alpha", "beta"].map((label, i) =>
      domainRow(`${label}.deep.eth`, {
        registry: USER,
        effectiveOwnerAddress: i === 0 ? ANN : BEN,
        expiryTimestamp: FAR,
      }),
    ),
    ...Array.from({ length: 30 }, (_, i) =>
      domainRow(`n${String(i).padStart(2, "0")}.eth`, { resolver: STATIC_RESOLVER }),
    ),
  ]);
  const { resource } = deep as { resource: bigint };
  await writer
    .insert(ensv2Role)
    .values([
      { ...roleRow(USER, 0n, ANN, 1n | (1n << 128n)), ...at(5) },
      roleRow(USER, 0n, BEN, 0n),
      roleRow(ETH_REGISTRY, resource, ANN, 1n << 24n),
      roleRow(ETH_REGISTRY, resource, BEN, 1n << 20n),
      roleRow(RESOLVER, 0n, ANN, 1n << 124n),
      roleRow(RESOLVER, 77n, BEN, 1n << 4n),
    ]);
  await writer.insert(event).values([
    eventRow({ block: 1 }, { ...ofRegistry, eventType: "RegistryCreated" }),
    rolesEvent(USER, { resource: 0n, holder: ANN, from: 0n, to: 17n }, 2),
    rolesEvent(USER, { resource: 0n, holder: BEN, from: 0n, to: 1n }, 3),
    rolesEvent(USER, { resource: 0n, holder: BEN, from: 1n, to: 0n }, 4),
    rolesEvent(USER, { resource: 0n, holder: ANN, from: 17n, to: 1n }, 5),
    rolesEvent(ETH_REGISTRY, { resource, holder: ANN, from: 0n, to: 1n << 24n }, 6),
    // The same log for a second name of the entry, and another entry's log.
    rolesEvent(ETH_REGISTRY, { resource, holder: ANN, from: 0n, to: 1n << 24n }, 6, 1),
    rolesEvent(ETH_REGISTRY, { resource: resource + 2n ** 32n, holder: ANN, from: 0n, to: 1n }, 7),
    rolesEvent(ETH_REGISTRY, { resource: resource + 1n, holder: BEN, from: 0n, to: 1n << 156n }, 8),
  ]);
  const change = (block: number, name: string, resolver: Address | null, before: Address | null) => ({
    ...at(block),
    node: namehash(name),
    resolver,
    previousResolver: before,
  });
  await writer
    .insert(resolverChange)
    .values([
      change(10, "n00.eth", STATIC_RESOLVER, null),
      change(11, "n00.eth", RESOLVER, STATIC_RESOLVER),
      change(12, "n00.eth", STATIC_RESOLVER, RESOLVER),
      change(13, "n01.eth", STATIC_RESOLVER, null),
      change(14, "n01.eth", null, STATIC_RESOLVER),
      change(15, "n01.eth", STATIC_RESOLVER, null),
      change(16, "n01.eth", RESOLVER, STATIC_RESOLVER),
    ]);
  const links = { "deep.eth": 2, "": 1, "alpha.deep.eth": 2, "beta.deep.eth": null };
  await writer.insert(ensv2Link).values(Object.entries(links).map(([name, number]) => linkRow(name, number)));
});

type Body = Record<string, never> & {
  results: Record<string, unknown>[];
  total: number;
  next_cursor: string;
};

const get = <Shape = Body>(path: string) => api.ask<Shape>(path);
const walk = (path: string, size = 1) => api.walk(path, size);

describe("a registry", () => {
  test("says what it is, where it is, and who may change it", async () => {
    const logged = await get<{ total: number }>(`/contract/${USER}/events?page_size=1`);
    expect(await get(`/registry/${USER}?owner=${ANN}`)).toMatchObject({
      kind: "user",
      implementation: getAddress(REGISTRY_CODE),
      label_count: 4,
      names: [{ name: "deep.eth", namehash: namehash("deep.eth") }],
      claimed_parent: { registry: getAddress(ETH_REGISTRY), label: "d\0" },
      created: { block_number: 1, transaction_hash: transaction(1) },
      referring_names: { results: [{ name: "deep.eth", label: "deep" }], total: 1, next_cursor: null },
      role_holder_count: 1,
      root_role_holder_count: 1,
      event_count: logged.total,
      detach: { owner: getAddress(ANN), labels: 3, not_owned: 2, ownerless: 1 },
    });
    expect(await get(`/registry/${ROOT}`)).toMatchObject({ kind: "root", label_count: 1 });
    expect(await get(`/registry/${ETH_REGISTRY}`)).toMatchObject({ kind: "eth", label_count: 2 });
    const strange = { kind: "unknown", names: [], label_count: 0, role_holder_count: 0 };
    expect(await get(`/registry/${account(0x9999)}`)).toMatchObject(strange);
  });

  test("lists its labels by name, each with what is stored and which name it is", async () => {
    const rows = await walk(`/registry/${USER}/labels`);
    expect(rows.map(({ label, status }) => [label, status])).toEqual([
      ["alpha", "registered"],
      ["beta", "registered"],
      ["delta", "available"],
      ["gamma", "reserved"],
    ]);
    expect(rows[1]).toMatchObject({
      name: "beta.deep.eth",
      namehash: namehash("beta.deep.eth"),
      owner: getAddress(BEN),
      subregistry: getAddress(account(0x3009)),
      subname_count: 7,
      role_holder_count: 0,
      availability_status: "registered",
      token_id: String(kids[1]?.tokenId),
    });
    const backwards = await walk(`/registry/${USER}/labels?sort_dir=desc`, 2);
    expect(backwards.map(({ label }) => label)).toEqual(["gamma", "delta", "beta", "alpha"]);
    const [first, saved] = (await get(`/registry/${ETH_REGISTRY}/labels`)).results;
    expect(first).toMatchObject({ name: "deep.eth", role_holder_count: 2, subname_count: 4 });
    expect(saved).toMatchObject({
      label: "saved",
      status: "reserved",
      owner: null,
      resolver: getAddress(ENSV1_RESOLVER),
      reserved: { block_number: 9 },
    });
    expect(saved).not.toHaveProperty("registered");
  });

  test("has the labels of a registry that no name leads to", async () => {
    const alone = account(0x3010);
    await tables.writer.insert(ensv2Registry).values([registryRow(alone, 1, { mounts: 0 })]);
    await tables.writer.insert(ensv2Entry).values([entryRow(alone, "solo", { owner: ANN })]);
    const { results } = await get(`/registry/${alone}/labels`);
    expect(results).toEqual([expect.objectContaining({ label: "solo", status: "registered" })]);
    expect(results[0]).not.toHaveProperty("name");
    expect(results[0]).not.toHaveProperty("availability_status");
  });

  test("lists root roles and their changes, also for one account", async () => {
    expect((await get(`/registry/${USER}/roles`)).results).toEqual([
      expect.objectContaining({
        address: getAddress(ANN),
        roles: ["REGISTRAR", "REGISTRAR_ADMIN"],
        block_number: 5,
        role_bitmap: String(1n | (1n << 128n)),
      }),
    ]);
    const changes = await walk(`/registry/${USER}/role-changes`);
    expect(changes.map(({ added, removed, roles }) => [added, removed, roles])).toEqual([
      [["REGISTRAR", "REGISTER_RESERVED"], [], ["REGISTRAR", "REGISTER_RESERVED"]],
      [["REGISTRAR"], [], ["REGISTRAR"]],
      [[], ["REGISTRAR"], []],
      [[], ["REGISTER_RESERVED"], ["REGISTRAR"]],
    ]);
    const ofBen = await get(`/registry/${USER}/role-changes?account=${getAddress(BEN)}&sort_dir=desc`);
    expect(ofBen.total).toBe(2);
    expect(ofBen.results.map(({ block_number }) => block_number)).toEqual([4, 3]);
  });
});

describe("roles of a name", () => {
  test("are those of its entry, with all holders and every change", async () => {
    const { resource } = deep as { resource: bigint };
    expect(await get("/domain/deep.eth/roles")).toMatchObject({
      registry: getAddress(ETH_REGISTRY),
      resource: String(resource),
      total: 2,
      results: [
        { address: getAddress(ANN), roles: ["SET_RESOLVER"] },
        { address: getAddress(BEN), roles: ["SET_SUBREGISTRY"] },
      ],
    });
    const changes = await walk("/domain/deep.eth/role-changes");
    expect(changes.map(({ block_number, added }) => [block_number, added])).toEqual([
      [6, ["SET_RESOLVER"]],
      [8, ["CAN_TRANSFER"]],
    ]);
    const ofBen = await get(`/domain/deep.eth/role-changes?account=${BEN}`);
    expect(ofBen.results).toEqual([expect.objectContaining({ address: getAddress(BEN) })]);
  });

  test("are absent in ENSv1", async () => {
    const nothing = { registry: null, resource: null, results: [], total: 0, next_cursor: null };
    expect(await get("/domain/n03.eth/roles")).toMatchObject(nothing);
    expect(await get("/domain/n03.eth/role-changes")).toMatchObject(nothing);
  });
});

describe("a resolver", () => {
  test("listed by the deployment has current and former names", async () => {
    const overview = await get<{ names: Body; former_names: Body; contracts: unknown[] }>(
      `/resolver/${STATIC_RESOLVER}`,
    );
    expect(overview.contracts).toEqual([
      { chain: "devnet", kind: "listed", contract: "RESOLVER_5", status: "indexed" },
    ]);
    expect(overview.names.total).toBe(30);
    expect(overview.names.results).toHaveLength(25);
    const rest = await get(`/resolver/${STATIC_RESOLVER}/names?cursor=${overview.names.next_cursor}`);
    expect(rest.results.map(({ name }) => name)).toEqual([25, 26, 27, 28, 29].map((i) => `n${i}.eth`));
    expect(await walk(`/resolver/${STATIC_RESOLVER}/names`, 7)).toHaveLength(30);
    const former = await walk(`/resolver/${STATIC_RESOLVER}/former-names`);
    const next_resolver = getAddress(RESOLVER);
    expect(former).toMatchObject([
      { name: "n01.eth", from_block: 15, to_block: 16, next_resolver },
      { name: "n01.eth", from_block: 13, to_block: 14, next_resolver: null },
      { name: "n00.eth", from_block: 10, to_block: 11, next_resolver },
    ]);
    expect(overview.former_names.results).toEqual(former);
  });

  test("of ENSv2 has links by record, and roles", async () => {
    const overview = await get<{ links: Body; roles: Body; contracts: unknown[] }>(
      `/resolver/${RESOLVER}?page_size=1`,
    );
    expect(overview.contracts).toEqual([
      expect.objectContaining({
        kind: "ensv2",
        status: "indexed",
        implementation: getAddress(RESOLVER_CODE),
      }),
    ]);
    const links = await walk(`/resolver/${RESOLVER}/links`);
    expect(links.map(({ record_number, name, is_default }) => [record_number, name, is_default])).toEqual([
      ["1", "", true],
      ...["alpha.deep.eth", "deep.eth"]
        .sort((a, b) => (namehash(a) < namehash(b) ? -1 : 1))
        .map((name) => ["2", name, undefined]),
    ]);
    expect((await get(`/resolver/${RESOLVER}/links?record=2`)).total).toBe(2);
    const next: Hex | string = overview.links.next_cursor;
    expect((await get(`/resolver/${RESOLVER}/links?page_size=1&cursor=${next}`)).results).toEqual([links[1]]);
    expect(
      (await walk(`/resolver/${RESOLVER}/roles`)).map(({ resource, roles }) => [resource, roles]),
    ).toEqual([
      ["0", ["UPGRADE"]],
      ["77", ["SET_TEXT"]],
    ]);
  });

  test("with unknown code says so", async () => {
    const empty = { results: [], total: 0, page_size: 25, next_cursor: null };
    expect(await get(`/resolver/${account(0x9999)}`)).toMatchObject({
      contracts: [{ chain: "devnet", kind: "unknown", status: "unindexed" }],
      names: empty,
      former_names: empty,
      links: empty,
      roles: empty,
    });
  });

  test("refuses a record that is not a number, and a cursor of another list", async () => {
    for (const query of ["record=1e3", `record=${"9".repeat(78)}`, "record=-1"]) {
      expect([query, (await api.get(`/resolver/${RESOLVER}/links?${query}`)).status]).toEqual([query, 400]);
    }
    const { next_cursor } = await get(`/resolver/${RESOLVER}/links?page_size=1`);
    for (const path of [`/resolver/${RESOLVER}/roles`, `/resolver/${USER}/links`]) {
      expect((await api.get(`${path}?cursor=${next_cursor}`)).status).toBe(400);
    }
  });
});
