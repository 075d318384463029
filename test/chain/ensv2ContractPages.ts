import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import { expect } from "vitest";
import { latestTime } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import type { Stack } from "../support/stack.ts";
import type { Ensv2Contracts, EntryRow } from "./ensv2Reads.ts";
import { readAtTime } from "./onChain.ts";
import { lower } from "./stage.ts";

/* Answers of the operations on registries and resolvers, compared with these contracts of ENSv2. */

type Judged = { local: Pick<LocalChain, "chain" | "deployment">; stack: Stack };

type Read = {
  contracts: Ensv2Contracts;
  entries: readonly EntryRow[];
  /** `contract resource account roles` of every account that ever had roles on a current resource. */
  roles: readonly string[];
  /** `resolver node record` */
  links: readonly string[];
};

type Row = Record<string, string | number | null | undefined>;

/** Every row of a list, by its cursors. */
async function listAll(stack: Stack, path: string): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const glue = path.includes("?") ? "&" : "?";
    type Page = { results: Row[]; total: number; next_cursor: string | null };
    const page: { status: number; body: Page } = await stack.api<Page>(
      `${path}${glue}page_size=40${cursor && `&cursor=${cursor}`}`,
    );
    const { status, body } = page;
    expect([path, status]).toEqual([path, 200]);
    all.push(...body.results);
    cursor = body.next_cursor;
    if (cursor === null) expect([path, body.total]).toEqual([path, all.length]);
  }
  return all;
}

/** Compares the answers about each registry and resolver by its address. */
export async function expectContractPagesAsOnChain(judged: Judged, read: Read): Promise<void> {
  const byRegistry = Map.groupBy(read.entries, ({ registry }) => registry);
  for (const registry of read.contracts.registries) {
    await expectRegistry(judged, read, { registry, entries: byRegistry.get(registry) ?? [], byRegistry });
  }
  for (const resolver of read.contracts.resolvers) await expectResolver(judged, read, resolver);
  await expectNamesOfResolvers(judged.stack);
}

/** A registry's own answers. Source: ensdomains/contracts-v2, IPermissionedRegistry.sol. */
const statuses = ["available", "reserved", "registered"];

type OfRegistry = {
  registry: Hex;
  entries: readonly EntryRow[];
  byRegistry: ReadonlyMap<Hex, readonly EntryRow[]>;
};

async function expectRegistry({ local, stack }: Judged, read: Read, of: OfRegistry): Promise<void> {
  const { registry, entries, byRegistry } = of;
  const now = await latestTime(local.chain);
  const holdersOf = countHolders(read.roles);
  const expected = await Promise.all(
    entries.map(async (entry) => {
      const question = { contract: registry, functionName: "getState", args: [BigInt(entry.labelhash)] };
      const { status } = await readAtTime<{ status: number }>(local.chain, question, now);
      return {
        label: entry.label,
        labelhash: entry.labelhash,
        status: statuses[status],
        owner: entry.owner,
        expiry_timestamp: entry.expiry,
        subregistry: entry.subregistry,
        resolver: entry.resolver,
        subname_count: entry.subregistry === null ? 0 : (byRegistry.get(entry.subregistry)?.length ?? null),
        role_holder_count:
          entry.resource === null ? null : (holdersOf.get(`${registry} ${entry.resource}`) ?? 0),
      };
    }),
  );
  const labels = await listAll(stack, `/registry/${registry}/labels`);
  const shown = labels.map((row, i) => ({
    label: row.label,
    labelhash: row.labelhash,
    status: row.status,
    owner: inLowerCase(row.owner),
    expiry_timestamp: row.expiry_timestamp,
    subregistry: inLowerCase(row.subregistry),
    resolver: inLowerCase(row.resolver),
    subname_count: row.subname_count,
    role_holder_count: row.role_holder_count,
    i,
  }));
  const byHash = new Map(expected.map((one) => [one.labelhash, one]));
  expect(shown.length, `labels of ${registry}`).toBe(expected.length);
  for (const { i: _, ...row } of shown) {
    const { subname_count, role_holder_count, ...told } = byHash.get(row.labelhash as Hex) ?? {};
    expect(row, `${row.label} of ${registry}`).toEqual({
      ...told,
      // Facts that no contract has: labels of a registry with unknown code, and roles on a burnt token.
      subname_count: subname_count ?? row.subname_count,
      role_holder_count: role_holder_count ?? row.role_holder_count,
    });
  }
  const texts = labels.map(({ label }) => String(label));
  const [sorted] = (await stack.sql<{ labels: string[] }>(
    "select array_agg(l order by l) as labels from unnest($1::text[]) as l",
    [texts],
  )) as [{ labels: string[] | null }];
  expect(texts).toEqual(sorted.labels ?? []);
  await expectRoles(stack, read, registry);
  await expectOverview({ stack, now }, { registry, entries });
}

const inLowerCase = (address: Row[string]): string | null =>
  typeof address === "string" ? address.toLowerCase() : null;

/** Number of accounts with roles, by contract and resource. */
function countHolders(roles: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of roles) {
    const [contract, resource, , held] = line.split(" ");
    if (held !== "0") counts.set(`${contract} ${resource}`, (counts.get(`${contract} ${resource}`) ?? 0) + 1);
  }
  return counts;
}

type Logged = Ensv2Contracts["logs"][number] & { blockNumber: bigint; logIndex: number };

const words = [
  "REGISTRAR",
  "REGISTER_RESERVED",
  "SET_PARENT",
  "UNREGISTER",
  "RENEW",
  "SET_SUBREGISTRY",
  "SET_RESOLVER",
  "ROLE_28",
  "WAS_RESERVED",
  "SET_URI",
];

/** The name of a role by its position among those of 4 bits each. */
const wordOf = (place: number): string => {
  if (place === 39) return "CAN_TRANSFER";
  if (place === 30 || place === 62) return place === 30 ? "CAN_NAME" : "CAN_NAME_ADMIN";
  if (place === 31 || place === 63) return place === 31 ? "UPGRADE" : "UPGRADE_ADMIN";
  const word = words[place % 32] ?? `ROLE_${(place % 32) * 4}`;
  return place < 32 ? word : `${word}_ADMIN`;
};

const wordsOf = (roles: bigint): string[] =>
  Array.from({ length: 64 }, (_, place) => place)
    .filter((place) => ((roles >> BigInt(place * 4)) & 0xfn) !== 0n)
    .map(wordOf);

async function expectRoles(stack: Stack, { contracts, roles }: Read, registry: Hex): Promise<void> {
  const held = roles.map((line) => line.split(" ")).filter((line) => line[0] === registry && line[1] === "0");
  expect(
    (await listAll(stack, `/registry/${registry}/roles`))
      .map((row) => `${row.address} ${row.role_bitmap}`)
      .sort(),
    `root roles of ${registry}`,
  ).toEqual(
    held
      .flatMap(([, , account, bits]) => (bits === "0" ? [] : [`${getAddress(account as Address)} ${bits}`]))
      .sort(),
  );
  const logged = contracts.logs.filter(
    ({ address, eventName, args }) =>
      lower(address) === registry && eventName === "EACRolesChanged" && args.resource === 0n,
  ) as Logged[];
  const changes = await listAll(stack, `/registry/${registry}/role-changes`);
  expect(
    changes.map(({ address, block_number, log_index, added, removed, roles }) => ({
      address,
      block_number,
      log_index,
      added,
      removed,
      roles,
    })),
    `changes of root roles of ${registry}`,
  ).toEqual(
    logged.map(({ args, blockNumber, logIndex }) => {
      const [before, after] = [args.oldRoleBitmap as bigint, args.newRoleBitmap as bigint];
      return {
        address: args.account,
        block_number: Number(blockNumber),
        log_index: logIndex,
        added: wordsOf(after & ~before),
        removed: wordsOf(before & ~after),
        roles: wordsOf(after),
      };
    }),
  );
}

/** Counts of a registry, and whether the holder of most of its labels could detach it. */
async function expectOverview(
  { stack, now }: { stack: Stack; now: bigint },
  { registry, entries }: Pick<OfRegistry, "registry" | "entries">,
): Promise<void> {
  const live = entries.filter(({ expiry }) => BigInt(expiry) > now);
  const owner = live.find((entry) => entry.owner !== null)?.owner ?? zeroAddress;
  const { body } = await stack.api<Row & { names: { name: string; namehash: string }[] }>(
    `/registry/${registry}?owner=${owner}`,
  );
  expect(body, `overview of ${registry}`).toMatchObject({
    label_count: entries.length,
    detach: {
      labels: live.length,
      not_owned: live.filter((entry) => entry.owner !== owner).length,
      ownerless: live.filter((entry) => entry.owner === null).length,
    },
  });
  const mounts = await stack.sql<{ node: string }>(
    "select node from ensv2_mounts where registry = $1 order by position",
    [registry],
  );
  expect(body.names.map(({ namehash }) => namehash)).toEqual(mounts.map(({ node }) => node));
}

async function expectResolver({ stack }: Judged, { roles, links }: Read, resolver: Hex): Promise<void> {
  const linked = links
    .map((line) => line.split(" "))
    .flatMap(([of, node, record]) =>
      of === resolver && record !== "null" ? [`${BigInt(record ?? 0)} ${node}`] : [],
    );
  const shown = await listAll(stack, `/resolver/${resolver}/links`);
  expect(shown.map((row) => `${row.record_number} ${row.namehash}`).sort(), `links of ${resolver}`).toEqual(
    linked.sort(),
  );
  const held = roles.map((line) => line.split(" ")).filter((line) => line[0] === resolver && line[3] !== "0");
  const listed = await listAll(stack, `/resolver/${resolver}/roles`);
  const ofRoot = listed.filter(({ resource }) => resource === "0");
  expect(ofRoot.map((row) => `${inLowerCase(row.address)} ${row.role_bitmap}`).sort()).toEqual(
    held
      .filter((line) => line[1] === "0")
      .map(([, , account, bits]) => `${account} ${bits}`)
      .sort(),
  );
}

/** Current names as in `domains`, and former ones from the sequence of each name's changes. */
async function expectNamesOfResolvers(stack: Stack): Promise<void> {
  type Former = { resolver: Hex; lines: string[] };
  const former = await stack.sql<Former>(
    `select resolver, array_agg(node || ' ' || block_number || ' ' || next_block order by node, block_number) as lines
     from (select *, lead(block_number) over later as next_block from resolver_changes
       window later as (partition by chain_id, node order by block_number, log_index, ordinal)) as change
     where resolver is not null and next_block is not null group by resolver`,
  );
  for (const { resolver, lines } of former) {
    const rows = await listAll(stack, `/resolver/${resolver}/former-names`);
    const shown = rows.map((row) => `${row.namehash} ${row.from_block} ${row.to_block}`);
    expect(shown.sort(), `former names of ${resolver}`).toEqual(lines.sort());
  }
  const now = await stack.sql<{ resolver: Hex; nodes: string[] }>(
    `select resolver, array_agg(node) as nodes from domains
     where resolver is not null and parent_node is distinct from
       '0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2' group by resolver`,
  );
  for (const { resolver, nodes } of now) {
    const { body } = await stack.api<{ results: Row[]; total: number }>(
      `/resolver/${resolver}/names?page_size=200`,
    );
    expect([resolver, body.total]).toEqual([resolver, nodes.length]);
    // A row that waits for its entry is omitted if the entry has another resolver.
    for (const { namehash } of body.results) expect(nodes).toContain(namehash);
  }
}
