import { type Address, getAddress, type Hex } from "viem";
import { expect } from "vitest";
import { hashLabel, read, readEntry } from "../../../devnet/acts.ts";
import { type EntryRow, readEnsv2Contracts, readEntries } from "../../chain/ensv2Reads.ts";
import { screen, stage, story } from "../frame.ts";
import { at, readRoleHolders } from "../oracle.ts";
import { pages } from "../screens.ts";
import { HEAVY_LABELS, ROLE_HOLDERS } from "../story/ensv2.ts";
import { logsOf } from "./logs.ts";
import { type Item, isSortedBy } from "./rows.ts";

/* The portal's screens of resolvers and registries, and of role holders there. */

/** Every label of a registry, as the registry answers. */
async function entriesOf(contract: string): Promise<EntryRow[]> {
  const contracts = await readEnsv2Contracts(stage.local);
  const registry = at(stage, contract).toLowerCase() as Hex;
  return readEntries(stage.chain, { ...contracts, registries: [registry] });
}

type Part<Of> = { results: Of[]; total: number; next_cursor: string | null };
type Holder = { address: Address; roles: string[] };
type Link = { name: string; namehash: string; record_number: string };

screen("P10", async ({ get }) => {
  const resolver = at(stage, "resolverOfNative");
  type Resolver = { names: Part<Item>; links: Part<Link>; roles: Part<Holder> };
  const { names, links, roles } = await get<Resolver>(`/resolver/${resolver}?page_size=200`);
  const bound = story.filter((one) => one.resolver === resolver);
  expect(names.total).toBe(bound.length);
  expect(names.results.map(({ name }) => name).sort()).toEqual(bound.map(({ name }) => name).sort());
  expect(links.results.map(({ name }) => name).sort()).toEqual(["kid.native.eth", "native.eth"]);
  expect(new Set(links.results.map(({ record_number }) => record_number)).size).toBe(1);
  expect(roles.results.map(({ address }) => address)).toEqual([stage.cast.alice]);
  const { total } = await get<{ total: number }>(`/contract/${resolver}/events?page_size=200`);
  expect(total).toBeGreaterThan(5);
  expect(total).toBeLessThanOrEqual((await logsOf(resolver)).length);
  return { theirs: 2 + pages(links.total) + pages(roles.total) };
});

screen("P11", async ({ list }) => {
  const resolver = at(stage, "resolver5");
  const { items, total } = await list<Item>(`/resolver/${resolver}/names?page_size=200`);
  const bound = story.filter((one) => one.resolver === resolver);
  expect(total).toBe(items.length);
  const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name).sort();
  expect(namesOf(items)).toEqual(namesOf(bound));
  const former = await list<{ name: string; to_timestamp: number }>(
    `/resolver/${resolver}/former-names?page_size=200`,
  );
  expect(former.items.map(({ name }) => name)).toContain("payformer.eth");
  return { theirs: pages(items.length) + pages(former.items.length) };
});

screen("P12", async ({ get }) => {
  const registry = at(stage, "registryOfNative");
  type Registry = {
    names: { name: string }[];
    created: { transaction_hash: string };
    label_count: number;
    root_role_holder_count: number;
    event_count: number;
  };
  const answer = await get<Registry>(`/registry/${registry}`);
  expect(answer.names.map(({ name }) => name)).toEqual(["native.eth"]);
  const logs = await logsOf(registry);
  expect(answer.created.transaction_hash).toBe(logs[0]?.transactionHash);
  expect(answer.label_count).toBe((await entriesOf("registryOfNative")).length);
  const address = registry.toLowerCase() as Address;
  const holders = await readRoleHolders(stage, { registry: address, resource: 0n });
  expect(answer.root_role_holder_count).toBe(holders.length);
  expect(answer.event_count).toBeGreaterThan(20);
  return { theirs: 1 };
});

type Label = {
  label: string;
  name?: string;
  owner: Address | null;
  expiry_timestamp: string;
  status: string;
};

screen("P13", async ({ list }) => {
  const registry = at(stage, "registryOfCarol");
  const { items, total, pages: read } = await list<Label>(`/registry/${registry}/labels?page_size=100`);
  const entries = await entriesOf("registryOfCarol");
  expect(total).toBe(entries.length);
  expect(isSortedBy(items.map(({ label }) => label))).toBe(true);
  const rows = items.map(({ label, owner, expiry_timestamp }) => [
    hashLabel(label),
    owner?.toLowerCase() ?? null,
    expiry_timestamp,
  ]);
  const want = entries.map(({ labelhash, owner, expiry }) => [labelhash, owner, expiry]);
  expect(rows.map(String).sort()).toEqual(want.map(String).sort());
  return { theirs: read };
});

screen("P14", async ({ get }) => {
  const { carol } = stage.cast;
  type Detach = { detach: { labels: number; not_owned: number; ownerless: number } };
  const { detach } = await get<Detach>(`/registry/${at(stage, "registryOfCarol")}?owner=${carol}`);
  const entries = await entriesOf("registryOfCarol");
  const owner = carol.toLowerCase();
  expect(entries).toHaveLength(HEAVY_LABELS);
  expect(detach).toMatchObject({
    labels: entries.length,
    not_owned: entries.filter((one) => one.owner !== owner).length,
    ownerless: entries.filter((one) => one.owner === null).length,
  });
  return { theirs: 2 };
});

type Change = { address: Address; added: string[]; removed: string[]; transaction_hash: string };

screen("P17", async ({ list }) => {
  const { tokenId, resource } = await readEntry(stage.chain, { label: "native" });
  const { items: holders, total } = await list<Holder>("/domain/native.eth/roles?page_size=200");
  const registry = at(stage, "ethRegistry").toLowerCase() as Address;
  const onChain = await readRoleHolders(stage, { registry, resource });
  expect(onChain.length).toBe(ROLE_HOLDERS + 2);
  expect(total).toBe(onChain.length);
  expect(holders.map(({ address }) => getAddress(address)).sort()).toEqual(onChain.toSorted());
  expect(tokenId).toBeGreaterThan(0n);
  const { items: changes } = await list<Change>("/domain/helped.eth/role-changes?sort_dir=asc&page_size=200");
  const { alice, bob, dave } = stage.cast;
  expect(changes.map(({ address }) => address)).toEqual([bob, alice, dave, dave]);
  expect(changes.slice(1).map(({ added, removed }) => [added, removed])).toEqual([
    [["SET_RESOLVER"], []],
    [["SET_RESOLVER"], []],
    [[], ["SET_RESOLVER"]],
  ]);
  return { theirs: 1 + pages(changes.length) };
});

screen("P18", async ({ list }) => {
  const { alice, dave } = stage.cast;
  const registry = at(stage, "registryOfNative");
  const { items: holders } = await list<Holder>(`/registry/${registry}/roles?page_size=200`);
  expect(holders.map(({ address }) => address).sort()).toEqual([alice, dave].sort());
  for (const { address, roles } of holders) {
    const question = { contract: "registryOfNative", functionName: "roles", args: [0n, address] };
    const held = await read<bigint>(stage.chain, question);
    expect(roles.length).toBe([...held.toString(2)].filter((bit) => bit === "1").length);
  }
  const { items: changes } = await list<Change>(
    `/registry/${registry}/role-changes?account=${dave}&sort_dir=asc&page_size=200`,
  );
  expect(changes.map(({ added, removed }) => [added.toSorted(), removed])).toEqual([
    [["REGISTRAR", "RENEW"], []],
    [[], ["RENEW"]],
  ]);
  return { theirs: 2 };
});
