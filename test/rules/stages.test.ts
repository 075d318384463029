import { describe, expect, test } from "vitest";
import { availabilityOf } from "../../src/api/names/rules/availability.ts";
import { tokenEndOf } from "../../src/api/names/rules/ends.ts";
import { lifeOf, lifeOfEnsv1 } from "../../src/api/names/rules/life.ts";
import { endsOfPhases } from "../../src/api/names/rules/lifeEnds.ts";
import { type Kind, kinds, livesIn, type Phase } from "../../src/api/names/rules/stages.ts";
import { holds } from "../../src/ens/condition.ts";
import { managedNames, tokenNames } from "../../src/ens/managedNames.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { PARENT_CANNOT_CONTROL } from "../../src/ens/wrapper.ts";
import { account, CHAIN_ID, transaction } from "../query/rows.ts";

const DAY = 86_400n;
const EXPIRY = 1_800_000_000n;
const GRAVEYARD = account(0x91);
const terms = {
  graceSeconds: 28 * 86_400,
  premiumSeconds: 21 * 86_400,
  ethRegistry: account(0xe7),
  nonOwners: new Set([GRAVEYARD]),
};
const life = lifeOf(terms);

/** The first second after each phase, as the contracts have it: written here again, and not taken from the table. */
const ensv1 = { registered: 0n, grace: 90n * DAY + 1n, premium: 111n * DAY };
const ensv2 = { registered: 0n, grace: 28n * DAY, premium: 49n * DAY };
const { premium: _, ...withoutPremium } = ensv1;
const bounds: Record<Kind, Partial<Record<Phase, bigint>>> = {
  eth: ensv1,
  ofLayer2: ensv1,
  ofLayer2WithoutPremium: withoutPremium,
  unseenEth: withoutPremium,
  retiredEth: {},
  ethOfEnsv2: ensv2,
  token: { registered: 0n },
  subname: { registered: 1n },
  subnameOfEnsv2: { registered: 0n },
  lastingSubname: {},
};

const ofMain = { chainId: CHAIN_ID, parentNode: ETH_NODE, labelLength: 5, effectiveOwnerAddress: account(1) };
const layer2Name = (name: string) => {
  const found = managedNames.find((one) => one.name === name);
  return { ...ofMain, chainId: found?.chainId ?? 0, parentNode: found?.node ?? null };
};
type More = { registry?: string; isUnseen?: boolean; isWrapped?: boolean; wrapperFuses?: number };
const names: Record<Kind, typeof ofMain & More> = {
  eth: ofMain,
  unseenEth: { ...ofMain, isUnseen: true },
  retiredEth: { ...ofMain, effectiveOwnerAddress: GRAVEYARD },
  ethOfEnsv2: { ...ofMain, registry: account(0xe7) },
  ofLayer2: layer2Name("base.eth") as typeof ofMain,
  ofLayer2WithoutPremium: layer2Name("linea.eth") as typeof ofMain,
  token: {
    ...ofMain,
    chainId: tokenNames[0]?.chainId ?? 0,
    parentNode: tokenNames[0]?.node as typeof ETH_NODE,
  },
  subname: { ...ofMain, parentNode: transaction(3), isWrapped: true, wrapperFuses: PARENT_CANNOT_CONTROL },
  lastingSubname: { ...ofMain, parentNode: transaction(3), isWrapped: true, wrapperFuses: 1 },
  subnameOfEnsv2: { ...ofMain, parentNode: transaction(3), registry: account(0xe8) },
};

const lifetime = (kind: Kind, pathExpiryTimestamp: bigint | null = null) => ({
  registry: null,
  isUnseen: false,
  expiryTimestamp: EXPIRY,
  pathExpiryTimestamp,
  isWrapped: false,
  wrapperFuses: null,
  ...names[kind],
});

describe.each(kinds)("%s", (kind) => {
  test("has the contracts' bounds", () => {
    const ends = endsOfPhases(lifetime(kind), life);
    expect(Object.fromEntries(ends.map(({ phase, at }) => [phase, at - EXPIRY]))).toEqual(bounds[kind]);
    expect(life.lifeOf(lifetime(kind))).toBe(life.lives[kind]);
  });

  test("is in the phase before each bound, and at the bound in the next", () => {
    const { stages } = livesIn(terms)[kind];
    for (const [i, { phase }] of stages.entries()) {
      const bound = bounds[kind][phase];
      if (bound === undefined) continue;
      expect(holds(life.inPhase(phase), lifetime(kind), EXPIRY + bound - 1n)).toBe(true);
      expect(holds(life.inPhase(phase), lifetime(kind), EXPIRY + bound)).toBe(false);
      expect(holds(life.inPhase(stages[i + 1]?.phase as Phase), lifetime(kind), EXPIRY + bound)).toBe(true);
    }
  });
});

test.each(kinds)(
  "%s: whether its expiry is announced, and who holds it before and after its ends",
  (kind) => {
    const name = lifetime(kind);
    const isEnding = bounds[kind].registered !== undefined;
    const at = (rule: typeof life.held, time: bigint) => holds(rule, name, time);
    expect(at(life.hasEnd, EXPIRY - 1n)).toBe(isEnding);
    expect(at(life.expiringWithin(30), EXPIRY - 1n)).toBe(isEnding);
    expect(at(life.expiringWithin(30), EXPIRY - 30n * DAY - 1n)).toBe(false);
    const { grace, registered } = bounds[kind];
    const end = EXPIRY + (grace ?? registered ?? 0n);
    const isKept = kind === "token" || kind === "lastingSubname";
    expect(at(life.held, end - 1n)).toBe(kind !== "retiredEth");
    expect(at(life.held, end)).toBe(isKept);
  },
);

test("a wrapped subname without PARENT_CANNOT_CONTROL outlives the wrapper's expiry", () => {
  const lasting = lifetime("lastingSubname");
  const years = 365n * DAY;
  for (const time of [EXPIRY - 1n, EXPIRY, EXPIRY + 1n, EXPIRY + 90n * DAY + 1n, EXPIRY + 50n * years]) {
    expect(availabilityOf(lasting, Number(time), life)).toBe("registered");
    expect(availabilityOf(lasting, Number(time))).toBe("registered");
    for (const { active, registeredOrGrace, held } of [life, lifeOfEnsv1])
      for (const rule of [active, registeredOrGrace, held])
        expect(holds(rule, { ...lasting }, time)).toBe(true);
    for (const { expired, lost } of [life, lifeOfEnsv1])
      for (const rule of [expired, lost]) expect(holds(rule, { ...lasting }, time)).toBe(false);
  }
  expect(endsOfPhases(lasting)).toEqual([]);
  const ownerless = { ...lasting, effectiveOwnerAddress: null };
  expect(availabilityOf(ownerless, Number(EXPIRY))).toBe("unknown");
});

test.each(kinds)("%s: active and expired are the states that they say", (kind) => {
  const offsets = [-1n, 0n, 28n * DAY, 49n * DAY, 90n * DAY, 90n * DAY + 1n, 111n * DAY];
  for (const offset of offsets)
    for (const expiryTimestamp of [EXPIRY, null])
      for (const effectiveOwnerAddress of [names[kind].effectiveOwnerAddress, null])
        for (const labelLength of [2, 3]) {
          const name = { ...lifetime(kind), expiryTimestamp, effectiveOwnerAddress, labelLength };
          const state = availabilityOf(name, Number(EXPIRY + offset), life);
          const at = (rule: typeof life.expired) => holds(rule, name, EXPIRY + offset);
          expect(at(life.registeredOrGrace), state).toBe(["registered", "grace"].includes(state));
          expect(at(life.expired), state).toBe(["premium", "available"].includes(state));
        }
});

describe("the way to a name of ENSv2", () => {
  const path = EXPIRY - 5n * DAY;

  test("ends a subname before its own expiry", () => {
    const name = lifetime("subnameOfEnsv2", path);
    expect(endsOfPhases(name, life)).toEqual([{ phase: "registered", at: path }]);
    expect(availabilityOf(name, Number(path) - 1, life)).toBe("registered");
    expect(availabilityOf(name, Number(path), life)).toBe("unknown");
    const [before, after] = [path - 1n, path];
    for (const [rule, at] of [
      [life.active, before],
      [life.lost, after],
    ] as const) {
      expect(holds(rule, name, at)).toBe(true);
      expect(holds(rule, name, at === before ? after : before)).toBe(false);
    }
  });

  test("cuts a grace short, and ends nothing if it is later", () => {
    const inGrace = EXPIRY + DAY;
    expect(endsOfPhases(lifetime("ethOfEnsv2", inGrace), life)).toEqual([
      { phase: "registered", at: EXPIRY },
      { phase: "grace", at: inGrace },
    ]);
    const late = EXPIRY + 999n * DAY;
    expect(endsOfPhases(lifetime("ethOfEnsv2", late), life)).toHaveLength(3);
  });

  test("counts as its expiry does, for names that expire soon", () => {
    const name = { ...lifetime("subnameOfEnsv2", path), expiryTimestamp: EXPIRY + 999n * DAY };
    const within = (days: number, at: bigint) => holds(life.expiringWithin(days), name, at);
    expect(within(30, path - 30n * DAY - 1n)).toBe(false);
    expect(within(30, path - 30n * DAY)).toBe(true);
    expect(within(30, path - 1n)).toBe(true);
    expect(within(30, path)).toBe(false);
  });
});

test("the owner of a token of ENSv2 has it to the end of its grace, or to its expiry", () => {
  expect(tokenEndOf(life, { isSecondLevel: true })).toEqual({ after: 28 * 86_400, ending: "grace_end" });
  expect(tokenEndOf(life, { isSecondLevel: false })).toEqual({ after: 0, ending: "expiry" });
});

test("a name that was never registered can be bought if its label is long enough, and is no one's", () => {
  const name = { ...lifetime("eth"), expiryTimestamp: null };
  expect(availabilityOf(name, 1)).toBe("available");
  expect(availabilityOf({ ...name, labelLength: 2 }, 1)).toBe("unknown");
  for (const [rule, is] of [
    [lifeOfEnsv1.active, false],
    [lifeOfEnsv1.held, false],
    [lifeOfEnsv1.expired, true],
    [lifeOfEnsv1.lost, true],
  ] as const)
    expect(holds(rule, name, 1n)).toBe(is);
});
