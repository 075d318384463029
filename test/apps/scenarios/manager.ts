import type { Address } from "viem";
import { expect } from "vitest";
import { nodeOf } from "../../../devnet/acts.ts";
import { onChain, screen, stage, story } from "../frame.ts";
import { batches, pages } from "../screens.ts";
import { endingOfEnsv2 } from "../story/ensv2.ts";
import {
  expectRows,
  graceEndOf,
  type Item,
  isActive,
  isRightUnderEth,
  isSortedBy,
  namesOf,
  namesOfAny,
  relationsIn,
  relationsTo,
} from "./rows.ts";

/* The screens of ENS's manager that list names of an address. */

const expiryOf = ({ expiry_timestamp }: Item): bigint => BigInt(expiry_timestamp ?? 2n ** 256n);

screen("M1", async ({ list }) => {
  const { alice, carol, dave } = stage.cast;
  let theirs = 0;
  for (const address of [alice, carol, dave]) {
    const { items, total } = await list<Item>(
      `/address/${address}/domains?address_type=any&sort_by=expiry_timestamp&page_size=200&include=primary,subname_count,role_holder_count`,
    );
    const expected = namesOfAny(address);
    expect(total).toBe(expected.length);
    expectRows(items, expected, {
      item: (item) => ({ relations: relationsIn(item), graceEnd: item.grace_end_timestamp ?? null }),
      chain: (one) => ({ relations: relationsTo(address, one), graceEnd: graceEndOf(one) }),
    });
    expect(isSortedBy(items.map(expiryOf))).toBe(true);
    theirs += pages(expected.length);
  }
  return { theirs };
});

screen("M2", async ({ list }) => {
  const { alice } = stage.cast;
  const { items, total } = await list<Item>(
    `/address/${alice}/domains?address_type=effective_owner&availability_status=grace&protocol=ensv2&parent=eth&sort_by=expiry_timestamp&page_size=200`,
  );
  const [ended, ends, , , , grace] = endingOfEnsv2(stage).map(({ label }) => `${label}.eth`);
  expect(items.map(({ name }) => name)).toEqual([grace, ended, ends]);
  expect(total).toBe(3);
  expectRows(
    items,
    [ended, ends, grace].map((name) => onChain(name ?? "")),
  );
  return { theirs: pages(items.length) };
});

screen("M3", async ({ list }) => {
  const { carol } = stage.cast;
  const { items, total } = await list<Item>(
    `/address/${carol}/domains?address_type=effective_owner&protocol=ensv2&parent=eth&q=many&page_size=200`,
  );
  const expected = namesOf(carol, ["effective_owner"]).filter(
    (one) => isRightUnderEth(one) && one.protocol === "ensv2" && one.name.includes("many"),
  );
  expect(expected.length).toBeGreaterThan(200);
  expect(total).toBe(expected.length);
  expectRows(items, expected);
  return { theirs: pages(expected.length) };
});

type Looked = {
  results: { input: string; status: string; domain?: Item & { wrapper?: { fuse_names: string[] } } }[];
};

screen("M4", async ({ list, post }) => {
  const { alice } = stage.cast;
  const { items } = await list<Item>(
    `/address/${alice}/domains?address_type=any&protocol=ensv1&chain=devnet&page_size=200`,
  );
  const expected = namesOfAny(alice).filter(({ protocol }) => protocol === "ensv1");
  expectRows(items, expected, {
    item: ({ reservation, wrapper }) => ({
      reserved: reservation?.expiry_timestamp ?? null,
      fuses: wrapper?.fuses ?? null,
      ownExpiry: wrapper?.expiry_timestamp ?? null,
    }),
    chain: ({ reservedUntil, wrapper }) => ({
      reserved: reservedUntil === null ? null : String(reservedUntil),
      fuses: wrapper?.fuses ?? null,
      ownExpiry: wrapper === null ? null : String(wrapper.expiry),
    }),
  });
  // If only the registrar renewed, the wrapper's own expiry is not the lease's end plus grace.
  const { expiry, wrapper } = onChain("renewed.eth");
  expect((wrapper?.expiry ?? 0n) < (expiry ?? 0n)).toBe(true);
  const parents = [...new Set(items.map(({ name }) => name.split(".").slice(1).join(".")))].filter(
    (name) => name !== "eth",
  );
  const { results } = await post<Looked>("/lookup", { inputs: parents });
  for (const { input, domain } of results) {
    expect([input, domain?.wrapper?.fuses ?? 0]).toEqual([input, onChain(input).wrapper?.fuses ?? 0]);
  }
  return { theirs: pages(expected.length) + batches(expected.length + parents.length) };
});

type Counts = { active_count: number; count: number };

/** Names that an address owns now and that came from ENSv1, by the story's own migrations. */
const MIGRATED = ["moved.eth", "soft.eth", "locked.eth"];

screen("M6", async ({ get }) => {
  const { alice } = stage.cast;
  const { active_count } = await get<Counts>(
    `/address/${alice}/domain-count?address_type=effective_owner&migrated=true`,
  );
  expect(MIGRATED.every((name) => onChain(name).owner === alice)).toBe(true);
  expect(active_count).toBe(MIGRATED.length);
  return { theirs: 1 };
});

screen("M7", async ({ get }) => {
  const { alice } = stage.cast;
  const { active_count } = await get<Counts>(
    `/address/${alice}/domain-count?address_type=effective_owner&parent=eth`,
  );
  expect(active_count).toBe(namesOf(alice, ["effective_owner"]).filter(isRightUnderEth).length);
  return { theirs: 1 };
});

screen("M8", async ({ get }) => {
  const { alice, frank } = stage.cast;
  const first = (address: Address) =>
    get<{ results: Item[]; total: number }>(
      `/address/${address}/domains?address_type=effective_owner,manager&page_size=50`,
    );
  const expected = namesOf(alice, ["effective_owner", "manager"]);
  const { results, total } = await first(alice);
  expect([results.length, total]).toEqual([expected.length, expected.length]);
  // frank has only a reverse node, which does not count as a name.
  expect(await first(frank)).toMatchObject({ results: [], total: 0 });
  return { theirs: 2 };
});

screen("M12", async ({ get }) => {
  const { alice } = stage.cast;
  const named = (address: Address, words: string[]) => namesOf(address, words).length;
  const all = await get<{ results: Item[]; total: number }>(
    `/address/${alice}/domains?address_type=any&page_size=50&include=primary`,
  );
  expect(all.total).toBe(namesOfAny(alice).length);
  expect(all.results).toHaveLength(Math.min(50, all.total));
  const owned = await get<Counts>(`/address/${alice}/domain-count?address_type=effective_owner`);
  expect(owned.active_count).toBe(named(alice, ["effective_owner"]));
  const both = await get<Counts>(`/address/${alice}/domain-count?address_type=effective_owner,manager`);
  const managed = namesOf(alice, ["manager"]).filter(({ owner }) => owner !== alice);
  expect(managed.map(({ name }) => name).sort()).toEqual(["given.eth", "handed.eth"]);
  expect(both.active_count - owned.active_count).toBe(managed.length);
  return { theirs: 3 };
});

screen("M13", async ({ get }) => {
  const { alice } = stage.cast;
  const { results, total } = await get<{ results: Item[]; total: number }>(
    `/address/${alice}/domains?address_type=effective_owner&protocol=ensv2&sort_by=full_name&page_size=100&include=primary`,
  );
  const expected = namesOf(alice, ["effective_owner"]).filter(({ protocol }) => protocol === "ensv2");
  expect(total).toBe(expected.length);
  expectRows(results, expected);
  expect(isSortedBy(results.map(({ name }) => name))).toBe(true);
  expect(results.map(({ is_primary }) => is_primary)).toEqual(results.map(() => false));
  return { theirs: 1 };
});

screen("W1", async ({ get }) => {
  const { alice, frank } = stage.cast;
  const ask = async (address: Address) =>
    get<{ results: Item[] }>(
      `/address/${address}/domains?address_type=any&protocol=ensv1&availability_status=registered&page_size=1`,
    );
  const [{ results: some }, { results: none }] = [await ask(alice), await ask(frank)];
  expect(none).toEqual([]);
  expect(some).toHaveLength(1);
  const [found] = some;
  const name = story.find(({ name }) => name === found?.name);
  expect(name && isActive(name) && relationsTo(alice, name).length > 0).toBe(true);
  expect(found?.namehash).toBe(name?.namehash ?? nodeOf(found?.name ?? ""));
  return { theirs: 2 };
});
