import { GRACE_PERIOD, TOKEN_END } from "../../../ens/wrapper.ts";
import { DAY } from "./seconds.ts";

/**
 * The table of stages: what time does to each kind of name, and what each stage means. Everything else is derived from it: states
 * in TypeScript, conditions in SQL, counter classes, and ends in histories and calendars.
 */

/**
 * The phases of a name's life. `unlimited` names have no expiry; a registrar's name without one was never registered. Only
 * registrar names pass through `grace`, `premium` and `ended`; other names are `over` at their expiry.
 */
export const phases = ["unlimited", "registered", "grace", "premium", "ended", "over"] as const;

export type Phase = (typeof phases)[number];

/** A name's state at a time; `unknown` if the index cannot tell. */
export const availabilities = ["registered", "grace", "premium", "available", "unknown"] as const;

export type Availability = (typeof availabilities)[number];

/** What a stage means. */
export type Meaning = {
  availability: Availability;
  /** Restricts the availability to names with an owner, or to labels that are long enough to be sold. */
  onlyIf?: "isOwned" | "isLongEnough";
  /** True if the last owner still holds the name: it has not ended, or can be renewed. */
  isOwners: boolean;
  /**
   * The lists that include the name: `active` names are registered or in grace, `expired` names in premium or available. A `lost`
   * name is one of its last owner's previous names.
   */
  lists: readonly ("active" | "expired" | "lost")[];
};

/** A stage of a name with an expiry. */
export type Stage = Meaning & {
  phase: Exclude<Phase, "unlimited">;
  /** Seconds from the expiry to the first second after the stage. The last stage of a life has no end. */
  until?: bigint;
};

/** The life of a kind of name: its stages in order. Each begins at the end of the previous one. */
export type Life = {
  /** The meaning of a missing expiry; absent for kinds that always have one. */
  unlimited?: Meaning;
  stages: readonly Stage[];
  /** True if the life also ends when the path to the name ends, by the expiry of an entry above it. */
  endsWithPath?: true;
};

/** Days of premium after the grace of a name of ENSv1, or of a layer 2 that has a premium. */
export const PREMIUM_DAYS = 21;

/** Days after the expiry in which a registrar's name can be renewed. */
export const GRACE_DAYS = Number(GRACE_PERIOD) / DAY;

/** `renew` allows expiry + 90 days >= now, so the next second is the first that is too late. */
const GRACE_END = GRACE_PERIOD + 1n;

/** The premium is 0 at exactly expiry + 111 days. */
const PREMIUM_END = GRACE_PERIOD + BigInt(PREMIUM_DAYS * DAY);

/** The parameters that the table takes from a deployment with ENSv2. */
export type Ensv2Terms = {
  /** Seconds after the expiry of a .eth name during which it can still be renewed. */
  graceSeconds: number;
  /** Seconds of premium after its grace. */
  premiumSeconds: number;
  /** Lowercase contracts that can hold ENSv1 names without being their owners. */
  nonOwners: ReadonlySet<string>;
  /** The lowercase registry of the .eth names in ENSv2. */
  ethRegistry: string;
};

/**
 * A name that a registrar could sell but never did. A second-level name that is only in the registry is not active: anyone can
 * register it.
 */
const neverSold: Meaning = {
  availability: "available",
  onlyIf: "isLongEnough",
  isOwners: false,
  lists: ["expired", "lost"],
};

/** `ownerOf` requires expiry > now (BaseRegistrarImplementation); in ENSv2, now >= expiry has expired (PermissionedRegistry). */
const registered = {
  phase: "registered",
  until: 0n,
  availability: "registered",
  isOwners: true,
  lists: ["active"],
} as const satisfies Stage;

const grace = (until: bigint): Stage => ({
  phase: "grace",
  until,
  availability: "grace",
  isOwners: true,
  lists: ["active"],
});

const premium = (until: bigint): Stage => ({
  phase: "premium",
  until,
  availability: "premium",
  isOwners: false,
  lists: ["expired", "lost"],
});

const ended: Stage = {
  phase: "ended",
  availability: "available",
  isOwners: false,
  lists: ["expired", "lost"],
};

/** BaseRegistrarImplementation; the price oracle of .eth names is ExponentialPremiumPriceOracle. */
const withPremium: Life = {
  unlimited: neverSold,
  stages: [registered, grace(GRACE_END), premium(PREMIUM_END), ended],
};

const withoutPremium: Life = { unlimited: neverSold, stages: [registered, grace(GRACE_END), ended] };

/** A name outside of registrars: only its owner shows that it is registered, and after its expiry nothing does. */
const unlimited: Meaning = {
  availability: "registered",
  onlyIf: "isOwned",
  isOwners: true,
  lists: ["active"],
};

const whileOwned: Stage = { ...registered, onlyIf: "isOwned" };

/** A name whose end leaves no trace. `isOwners` is true if its owner keeps it. */
const untilEnd = (until: bigint, { isOwners }: { isOwners: boolean }): Life => ({
  unlimited,
  stages: [
    { ...whileOwned, until },
    { phase: "over", availability: "unknown", isOwners, lists: [] },
  ],
});

/** Kinds of names. Each has a life of its own. */
export const kinds = [
  "eth",
  "unseenEth",
  "retiredEth",
  "ethOfEnsv2",
  "ofLayer2",
  "ofLayer2WithoutPremium",
  "token",
  "subname",
  "lastingSubname",
  "subnameOfEnsv2",
] as const;

export type Kind = (typeof kinds)[number];

/** The lives of names in a deployment. Those of ENSv2 names occur only with ENSv2. */
export const livesIn = (terms: Ensv2Terms | undefined): Readonly<Record<Kind, Life>> => ({
  eth: withPremium,
  // Once the ENSv2 registrar is open, a .eth name that its registry never saw has no premium, however recently it ended in ENSv1.
  // Source: ensdomains/contracts-v2, src/registrar/ETHRegistrar.sol, `_availablePeriod`.
  unseenEth: withoutPremium,
  // Names that a graveyard holds in ENSv1 were retired, with an expiry near 2^64. Anyone can register them in ENSv2.
  retiredEth: { stages: [ended] },
  ethOfEnsv2: ethOfEnsv2(terms),
  // The same as for .eth names. Source: base/basenames, src/L2/ExponentialPremiumPriceOracle.sol, with 21 days in
  // test/Integration/IntegrationTestBase.t.sol; UpgradeableRegistrarController, `_getExpiry` (it begins after grace).
  ofLayer2: withPremium,
  // Where the descriptor sets the oracle's premium to 0.
  ofLayer2WithoutPremium: withoutPremium,
  // A 3DNS token has an expiry and no grace. Source: 3dns-xyz/contracts, src/regcontrol/modules/RegistrarController.sol.
  token: untilEnd(0n, { isOwners: true }),
  // Emancipated subnames end one second after the wrapper's expiry, and fall to the NameWrapper. Unwrapped subnames have no
  // expiry. Source: ens-contracts, contracts/wrapper/NameWrapper.sol.
  subname: untilEnd(TOKEN_END, { isOwners: false }),
  // Without PARENT_CANNOT_CONTROL, the wrapper's expiry only clears fuses: the owner keeps the token.
  // Source: NameWrapper.getData, `_clearOwnerAndFuses`.
  lastingSubname: { unlimited, stages: [{ ...unlimited, phase: "registered" }] },
  // No grace: its registry returns no owner from the expiry on. Source: ensdomains/contracts-v2,
  // src/registry/PermissionedRegistry.sol.
  subnameOfEnsv2: {
    unlimited,
    stages: [whileOwned, { phase: "over", availability: "unknown", isOwners: false, lists: ["lost"] }],
    endsWithPath: true,
  },
});

/**
 * A name of the ENSv2 registrar can be registered again exactly at the end of its grace, and has no premium from exactly the end
 * of the premium. A reservation in ENSv2 ends both at the same second as ENSv1 does.
 * Source: ensdomains/contracts-v2, src/registrar/ETHRegistrar.sol.
 */
function ethOfEnsv2(terms: Ensv2Terms | undefined): Life {
  const { graceSeconds, premiumSeconds } = terms ?? { graceSeconds: 0, premiumSeconds: 0 };
  const graceEnd = BigInt(graceSeconds);
  return {
    unlimited: neverSold,
    stages: [registered, grace(graceEnd), premium(graceEnd + BigInt(premiumSeconds)), ended],
    endsWithPath: true,
  };
}
