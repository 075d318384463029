import { describe, expect, test } from "vitest";
import { availabilityOf } from "../../src/api/rules/availability.ts";
import { tokenEndOf } from "../../src/api/rules/ends.ts";
import { lifeOf, lifeOfEnsv1 } from "../../src/api/rules/life.ts";
import { endsOfPhases } from "../../src/api/rules/lifeEnds.ts";
import { type Kind, kinds, livesIn, type Phase } from "../../src/api/rules/stages.ts";
import { holds } from "../../src/ens/condition.ts";
import { managedNames, tokenNames } from "../../src/ens/managedNames.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { account, CHAIN_ID, transaction } from "../query/rows.ts";

const DAY = 86_400n;
const EXPIRY = 1_800_000_000n;
const GRAVEYARD = account(0x91);
const terms = {
  ...{ graceSeconds: 28 * 86_400, premiumSeconds: 21 * 86_400, ethRegistry: account(0xe7) },
  nonOwners: new Set([GRAVEYARD]),
};
const life = lifeOf(terms);

/** The first second after each phase, as the contracts have it: written here again, and not taken from the table. */
const ensv1 = { registered: 0n, grace: 90n * DAY + 1n, premium: 111n * DAY };
const ensv2 = { registered: 0n, grace: 28n * DAY, premium: 49n * DAY };
const { premium: _, ...withoutPremium } = ensv1;
const bounds: Record<Kind, Partial<Record<Phase, bigint>>> = {
  ...{
    eth: ensv1,
    ofLayer2: ensv1,
    ofLayer2WithoutPremium: withoutPremium,
    unseenEth: withoutPremium,
    retiredEth: {},
  },
  ethOfEnsv2: ensv2,
  ...{ token: { registered: 0n }, subname: { registered: 0n }, subnameOfEnsv2: { registered: 0n } },
};

const ofMain = { chainId: CHAIN_ID, parentNode: ETH_NODE, labelLength: 5, effectiveOwnerAddress: account(1) };
const layer2Name = (name: string) => {
  const found = managedNames.find((one) => one.name === name);
  return { ...ofMain, chainId: found?.chainId ?? 0, parentNode: found?.node ?? null };
};
const names: Record<Kind, typeof ofMain & { registry?: string; isUnseen?: boolean }> = {
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
  subname: { ...ofMain, parentNode: transaction(3) },
  subnameOfEnsv2: { ...ofMain, parentNode: transaction(3), registry: account(0xe8) },
};

const lifetime = (kind: Kind, pathExpiryTimestamp: bigint | null = null) => ({
  ...{ registry: null, isUnseen: false, expiryTimestamp: EXPIRY, pathExpiryTimestamp },
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
      [life.expired, after],
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
  expect(holds(lifeOfEnsv1.active, name, 1n)).toBe(false);
});
