import { type Hex, zeroAddress } from "viem";
import { expect } from "vitest";
import { ETH_NODE, nodeBelow, ROOT_NODE } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import type { Stack } from "../support/stack.ts";
import { expectContractPagesAsOnChain } from "./ensv2ContractPages.ts";
import {
  countPlaces,
  type Ensv2Contracts,
  type EntryRow,
  readEnsv2Contracts,
  readEntries,
  readLinks,
  readRecords,
  readRoles,
} from "./ensv2Reads.ts";
import { lower } from "./stage.ts";

type Judged = { local: Pick<LocalChain, "chain" | "deployment">; stack: Stack };

/** Compares everything that the contracts of ENSv2 decide with the tables, once the newest block is indexed. */
export async function expectEnsv2AsOnChain({ local, stack }: Judged): Promise<void> {
  await stack.waitForHead();
  const contracts = await readEnsv2Contracts(local);
  const entries = await readEntries(local.chain, contracts);
  await expectEntries(stack, entries);
  const roles = await readRoles(local.chain, contracts, entries);
  expect(await storedRoles(stack, contracts, entries)).toEqual(roles);
  const links = await readLinks(local.chain, contracts);
  expect(await storedLinks(stack, contracts)).toEqual(links);
  const linked = (await storedLinks(stack, contracts)).map((line) => line.split(" "));
  expect(await storedRecords(stack, contracts, linked)).toEqual(await readRecords(local.chain, contracts));
  await expectNames({ local, stack }, contracts, entries);
  await expectContractPagesAsOnChain({ local, stack }, { contracts, entries, roles, links });
}

const keyOf = ({ registry, labelhash }: Pick<EntryRow, "registry" | "labelhash">) =>
  `${registry} ${labelhash}`;

const byKey = (rows: readonly EntryRow[]) => Object.fromEntries(rows.map((row) => [keyOf(row), row]));

async function expectEntries(stack: Stack, expected: readonly EntryRow[]): Promise<void> {
  const rows = await stack.sql<EntryRow>(
    `select registry, labelhash, label, token_id, resource, owner, expiry, subregistry, resolver, is_registered
     from ensv2_entries where registry = any($1)`,
    [[...new Set(expected.map(({ registry }) => registry))]],
  );
  // No log states the number of the next token, and roles on a token without an owner do not count.
  const told = rows.map((row) => ({
    ...row,
    token_id: row.owner === null && row.is_registered ? null : row.token_id,
    resource: row.owner === null ? null : row.resource,
  }));
  expect(byKey(told)).toEqual(byKey(expected));
}

async function storedRoles(
  stack: Stack,
  { registries, resolvers }: Ensv2Contracts,
  entries: readonly EntryRow[],
): Promise<string[]> {
  const rows = await stack.sql<{ contract: Hex; resource: string; account: Hex; roles: string }>(
    "select contract, resource, account, roles from ensv2_roles where contract = any($1)",
    [[...registries, ...resolvers]],
  );
  const current = new Set(entries.map(({ registry, resource }) => `${registry} ${resource}`));
  return rows
    .filter(({ contract, resource }) => resource === "0" || current.has(`${contract} ${resource}`))
    .map(({ contract, resource, account, roles }) => `${contract} ${resource} ${account} ${roles}`)
    .sort();
}

async function storedLinks(stack: Stack, { resolvers }: Ensv2Contracts): Promise<string[]> {
  const rows = await stack.sql<{ resolver: Hex; node: Hex; record: Hex | null }>(
    "select resolver, node, record from ensv2_links where resolver = any($1)",
    [resolvers],
  );
  return rows.map(({ resolver, node, record }) => `${resolver} ${node} ${record}`).sort();
}

type RecordLine = { resolver: Hex; node: Hex; kind: string; key: string; value: string | null };

const RECORDS = `
  select resolver, node, 'text' as kind, key, value from text_records where resolver = any($1)
  union all select resolver, node, 'addr', coin_type::text, address from address_records where resolver = any($1)
  union all select resolver, node, 'contenthash', '', contenthash from resolver_nodes where resolver = any($1)
  union all select resolver, node, 'name', '', name from resolver_nodes where resolver = any($1)`;

const DEFAULT_COIN = "2147483648";

const isEvmCoin = (coin: string): boolean =>
  coin === "60" || (Number(coin) > 2 ** 31 && Number(coin) < 2 ** 32);

/**
 * Records of the numbers linked to a name: others cannot be requested. The default coin type's address replaces each EVM address
 * that was set and then removed.
 */
async function storedRecords(
  stack: Stack,
  { resolvers }: Ensv2Contracts,
  links: readonly string[][],
): Promise<string[]> {
  const rows = await stack.sql<RecordLine>(RECORDS, [resolvers]);
  const linked = new Set(links.map(([resolver, , record]) => `${resolver} ${record}`));
  const place = ({ resolver, node }: RecordLine) => `${resolver} ${node}`;
  const defaults = new Map(
    rows.flatMap((row) => (row.kind === "addr" && row.key === DEFAULT_COIN ? [[place(row), row.value]] : [])),
  );
  const coins = new Map<string, Set<string>>();
  for (const { resolver, kind, key } of rows) {
    if (kind === "addr") coins.set(resolver, (coins.get(resolver) ?? new Set()).add(key));
  }
  const found = new Map(rows.map((row) => [`${place(row)} ${row.kind} ${row.key}`, row.value]));
  for (const [at, value] of defaults) {
    for (const coin of coins.get(at.split(" ")[0] ?? "") ?? []) {
      const key = `${at} addr ${coin}`;
      if (isEvmCoin(coin) && !found.get(key)) found.set(key, value);
    }
  }
  return [...found]
    .filter(([key, value]) => value !== null && linked.has(key.split(" ").slice(0, 2).join(" ")))
    .map(([key, value]) => `${key} ${value}`)
    .sort();
}

type NameRow = {
  node: Hex;
  registry: Hex;
  effective_owner_address: Hex | null;
  expiry_timestamp: string | null;
  resolver: Hex | null;
};

/** At how many names a registry is followed; root and ETH registry at one. */
const MAX_NAMES = 8;

/**
 * Descends from the root by the registries' answers. The name of each entry must match the entry, and each registry must be
 * linked at the name unless it is at as many as are followed. No other names or links may exist.
 */
async function expectNames(
  { local, stack }: Judged,
  contracts: Ensv2Contracts,
  entries: readonly EntryRow[],
): Promise<void> {
  const { chainId, ensv2 } = local.deployment;
  const rows = await stack.sql<NameRow>(
    `select node, registry, effective_owner_address, expiry_timestamp, resolver
     from domains where chain_id = $1 and registry <> $2`,
    [chainId, zeroAddress],
  );
  const mounts = await stack.sql<{ node: Hex; registry: Hex }>("select node, registry from ensv2_mounts");
  const fixed = [ensv2?.rootRegistry, ensv2?.ethRegistry].flatMap((one) => (one ? [lower(one)] : []));
  const names = new Map(rows.map((row) => [row.node, saidOf(row)]));
  const hanging = new Map(mounts.map(({ node, registry }) => [node, registry]));
  const placesOf = countPlaces(contracts);
  const byRegistry = Map.groupBy(entries, ({ registry }) => registry);
  const visit = (registry: Hex, node: Hex) => {
    expect(hanging.get(node), `what hangs at ${node}`).toBe(registry);
    hanging.delete(node);
    for (const entry of byRegistry.get(registry) ?? []) {
      if (!entry.is_registered) continue;
      const child = nodeBelow(node, { labelhash: entry.labelhash });
      expect(names.get(child), `the name ${child} of ${keyOf(entry)}`).toEqual(saidByEntry(entry));
      names.delete(child);
      if (entry.subregistry === null || fixed.some((one) => one === entry.subregistry && child !== ETH_NODE))
        continue;
      if (hanging.has(child)) visit(entry.subregistry, child);
      // A registry linked at as many names as are followed may be omitted elsewhere.
      else expect(placesOf(entry.subregistry), `places of ${entry.subregistry}`).toBeGreaterThan(MAX_NAMES);
    }
  };
  if (fixed[0] !== undefined) visit(fixed[0], ROOT_NODE);
  expect([...hanging], "registries that hang somewhere").toEqual([]);
  expect([...names], "names of entries").toEqual([]);
}

const saidOf = ({ registry, effective_owner_address, expiry_timestamp, resolver }: NameRow) => ({
  registry,
  owner: effective_owner_address,
  expiry: expiry_timestamp,
  resolver,
});

const saidByEntry = ({ registry, owner, expiry, resolver }: EntryRow) => ({
  registry,
  owner,
  expiry,
  resolver,
});
