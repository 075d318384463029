import { expect } from "vitest";
import type { Whois } from "../../chain/stage.ts";
import { onChain, screen, stage, story } from "../frame.ts";
import { at, type OnChain } from "../oracle.ts";

/* The screens of one name. */

/** Names that are worth a look each, without the many of the heavy account. */
const looked = (): readonly OnChain[] => story.filter(({ name }) => !/^many-|^label-|carol\.eth$/.test(name));

const stateOf = ({ state }: OnChain): string =>
  ["registered", "grace"].includes(state) ? "held" : state === "unknown" ? "not known" : "lapsed";

const wordOf = (status: string): string =>
  ["registered", "grace"].includes(status) ? "held" : status === "unknown" ? "not known" : "lapsed";

screen("M9", async ({ get }) => {
  const held = ["alice.eth", "native.eth", "v2-grace.eth", "shop.base.eth"];
  const lapsed = ["v1-over.eth", "v2-free.eth", "back.eth"];
  const names = [...held, ...lapsed, "gone.native.eth"];
  for (const name of names) {
    const { availability_status } = await get<Whois>(`/whois/${name}`);
    expect([name, wordOf(availability_status)]).toEqual([name, stateOf(onChain(name))]);
  }
  const free = await get<Whois>("/whois/never-registered.eth");
  expect(free.availability_status).toBe("available");
  return { theirs: names.length + 1 };
});

screen("M10", async ({ get }) => {
  const names = looked();
  for (const expected of names) {
    const answer = await get<Whois>(`/whois/${expected.name}`);
    const shown = {
      name: answer.name,
      state: answer.availability_status,
      chain: answer.chain,
      owner: answer.ownership.owner ?? null,
      expiry: answer.expiry_timestamp,
      reserved: answer.reservation?.expiry_timestamp ?? null,
      protocol: answer.chain === undefined ? answer.protocol : undefined,
      isLastHolder: answer.ownership.to_timestamp !== undefined,
    };
    const { name, state, chain, owner, expiry, reservedUntil, protocol } = expected;
    expect(shown).toEqual({
      name,
      state,
      chain,
      owner,
      protocol,
      expiry: expiry === null ? null : String(expiry),
      reserved: reservedUntil === null ? null : String(reservedUntil),
      // After the grace the contracts still store the former holder, who is no longer the owner.
      isLastHolder: owner !== null && ["premium", "available"].includes(state),
    });
  }
  // The parent gave up a wrapped subname that expired: its owner is a contract and not an account.
  expect(onChain("ended.hard.eth").owner).toBe(at(stage, "wrapper"));
  expect(onChain("never.native.eth").expiry).toBe(2n ** 64n - 1n);
  return { theirs: names.length };
});

screen("P19", async ({ post }) => {
  const names = ["left.locked.eth", "locked.eth"];
  const { results } = await post<{ results: Whois[] }>("/whois/bulk", { names });
  for (const { name, wrapper, reservation, expiry_timestamp, protocol } of results) {
    const one = onChain(name);
    expect({ name, protocol, expiry: expiry_timestamp }).toEqual({
      name,
      protocol: one.protocol,
      expiry: one.expiry === null ? null : String(one.expiry),
    });
    expect(wrapper?.fuses ?? null).toBe(one.wrapper?.fuses ?? null);
    expect(reservation?.expiry_timestamp ?? null).toBe(
      one.reservedUntil === null ? null : String(one.reservedUntil),
    );
  }
  return { theirs: 1 };
});
