import { expect } from "vitest";
import type { Whois } from "../../chain/stage.ts";
import { onChain, screen, stage, story } from "../frame.ts";
import { pages } from "../screens.ts";
import { expectRows, type Item, isActive, isSortedBy, namesOfAny, relationsIn, relationsTo } from "./rows.ts";

/* The portal's screens of names, and of names below them. */

screen("P1", async ({ list }) => {
  const { alice, frank } = stage.cast;
  const { items, total } = await list<Item>(
    `/address/${alice}/domains?address_type=any&sort_by=expiry_timestamp&page_size=200&include=primary,subname_count,role_holder_count`,
  );
  const expected = namesOfAny(alice);
  expect(total).toBe(expected.length);
  expectRows(items, expected, {
    item: (item) => ({
      relations: relationsIn(item),
      holders: item.protocol === "ensv2" ? (item.role_holder_count ?? 0) : 0,
    }),
    chain: (one) => ({ relations: relationsTo(alice, one), holders: one.roleHolders.length }),
  });
  expect(isSortedBy(items.map(({ expiry_timestamp }) => BigInt(expiry_timestamp ?? 2n ** 256n)))).toBe(true);
  const paying = await list<Item>(`/address/${frank}/resolves-to?coin_type=60&page_size=200`);
  expect(paying.items.map(({ name }) => name)).toContain("pay60.eth");
  const lapsing = await list<Item>(
    `/address/${alice}/domains?address_type=effective_owner&availability_status=grace&protocol=ensv2&parent=eth&sort_by=expiry_timestamp&page_size=200`,
  );
  expect(lapsing.items.map(({ name }) => name)).toEqual(["v2-grace.eth", "v2-ended.eth", "v2-ends.eth"]);
  return { theirs: pages(items.length) + pages(paying.items.length) + pages(lapsing.items.length) };
});

type Overview = Whois & {
  registered_timestamp?: number;
  created_timestamp?: number;
  subname_count?: number;
  grace_end_timestamp?: string;
};
type Registration = { event_type: string; block_number: number; transaction_hash: string };

screen("P2", async ({ get }) => {
  const name = "native.eth";
  const whois = await get<Overview>(`/whois/${name}`);
  const one = onChain(name);
  expect([whois.ownership.owner, whois.expiry_timestamp]).toEqual([one.owner, String(one.expiry)]);
  expect(whois.token?.contract).toBe(whois.registry);
  const { registrations } = await get<{ registrations: Registration[] }>(
    `/domain/${name}/registration-history`,
  );
  const [first] = registrations;
  const receipt = await stage.chain.client.getTransactionReceipt({
    hash: first?.transaction_hash as `0x${string}`,
  });
  expect(Number(receipt.blockNumber)).toBe(first?.block_number);
  const { timestamp } = await stage.chain.client.getBlock({ blockNumber: receipt.blockNumber });
  expect(whois.registered_timestamp).toBe(Number(timestamp));
  // A label that was only ever reserved is not yet a name.
  const below = story.filter((one) => isBelowNative(one) && one.reservedUntil === null);
  expect(whois.subname_count).toBe(below.length);
  return { theirs: 3 };
});

const isBelowNative = ({ name }: { name: string }) =>
  name.endsWith(".native.eth") && name.split(".").length === 3;

screen("P4", async ({ list }) => {
  const { items, total } = await list<Item>(
    "/domain/native.eth/subdomains?include_expired=false&include_ownerless=false&sort_by=full_name&page_size=200",
  );
  const expected = story.filter((one) => isBelowNative(one) && isActive(one) && one.owner !== null);
  expect(expected.map(({ name }) => name)).not.toContain("ends.native.eth");
  expect(total).toBe(expected.length);
  expectRows(items, expected);
  expect(isSortedBy(items.map(({ name }) => name))).toBe(true);
  // The subregistry of many-000.eth has more than a page of labels.
  const many = await list<Item>(
    "/domain/many-000.eth/subdomains?include_expired=false&include_ownerless=false&sort_by=full_name&page_size=200",
  );
  const held = story.filter((one) => one.name.endsWith(".many-000.eth") && isActive(one));
  expectRows(many.items, held);
  return { theirs: pages(expected.length) + pages(held.length) };
});
