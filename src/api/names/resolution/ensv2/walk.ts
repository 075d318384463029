import type { Address, Hex } from "viem";
import type { Ensv2Contracts } from "../../../../../abis/contracts.ts";
import { storageIdOf } from "../../../../ens/ensv2.ts";
import type { Ctx } from "../../../server/http/context.ts";
import type { Ensv2Entry } from "../../query/ensv2.ts";
import { listSteps, type Step } from "../../query/ensv2Paths.ts";

/** Labelhashes of a name, from the top-level label down. */
export type Path = readonly Hex[];

/** The result of walking from the root registry to a name. */
export type Walk = {
  /** The entry of the name itself, expired or not, if every entry above it exists and has not expired. */
  entry: Ensv2Entry | null;
  /** The deepest resolver of unexpired entries, and the depth of its label, counted from the top. */
  resolver: WalkResolver | null;
  /** False if a registry on the path has an unknown implementation: only the chain can answer. */
  isKnown: boolean;
  /** The earliest expiry of the entries above the name; null if the name has no entry, or none is above it. */
  pathExpiry: bigint | null;
  /** True if an entry above the name was ever registered. Top-level entries do not count: names below stay in ENSv1. */
  isBelowRegistered: boolean;
  /** Of such entries, the one whose registration took the name from ENSv1, and the depth of its label. */
  registeredAbove: { entry: Ensv2Entry; depth: number } | null;
  /** The registry with an unknown implementation in which the path continues, and the depth of the label to look up there. */
  unknown: { registry: Address; depth: number } | null;
  /** The depth of the label for which a known registry has no entry, and whether that is a wrapper registry. */
  missing: { depth: number; isWrapper: boolean } | null;
  /** Present if the path ends above the name, at an expired entry. */
  hasExpired?: true;
};

/** Everything besides its row that determines a name's ENSv2 state. */
export type Way = {
  walk: Walk;
  /** True if a wrapper registry leaves the name, or one above it, to ENSv1. */
  isLeft: boolean;
  /** The phases of the ENSv2 migration that the chain has reached. */
  phases: ReadonlySet<string>;
};

/** `isKnown`: its implementation is a known ENSv2 resolver. */
export type WalkResolver = { address: Address; depth: number; isKnown: boolean };

/**
 * Walks from the root registry to names, as the Universal Resolver does. Each registry gives the resolver and the subregistry of
 * the next label, and neither for an expired entry.
 * Source: ensdomains/contracts-v2, src/universalResolver/libraries/LibResolution.sol.
 */
export async function walkNames(ctx: Ctx, paths: readonly Path[]): Promise<Walk[]> {
  const { chainId, ensv2 } = ctx.contracts;
  if (ensv2 === undefined) throw new Error("The deployment has no ENSv2");
  const ids = paths.map((path) => path.map(storageIdOf));
  const steps = await listSteps(ctx.db, ids, { chainId, now: ctx.now, contracts: ensv2 });
  const byPath = Map.groupBy(steps, ({ path }) => path);
  const at = { now: BigInt(ctx.now), contracts: ensv2 };
  return paths.map((path, i) => walkOf(path, byPath.get(i) ?? [], at));
}

type At = { now: bigint; contracts: Ensv2Contracts };

/** Depth of top-level domains. Their entries never take names away from ENSv1. */
const TOP = 1;

function walkOf(path: Path, steps: readonly Step[], { now, contracts }: At): Walk {
  const live = steps.filter(({ entry }) => entry.expiry > now);
  const last = steps.at(-1);
  const entry = last !== undefined && last.depth === path.length ? last.entry : null;
  const winner = live.findLast(({ entry: { resolver } }) => resolver !== null);
  const end = entry === null ? endOf(last, { now, contracts }) : { unknown: null, missing: null };
  const above = steps.filter(({ entry, depth }) => depth > TOP && depth < path.length && entry.isRegistered);
  // A wrapper registry leaves names below it to ENSv1 until they are migrated themselves.
  const registeredAbove =
    above.find(({ subregistryCode }) => !isOneOf(contracts.wrapperCode, subregistryCode)) ?? above.at(-1);
  return {
    entry,
    resolver: winner?.entry.resolver
      ? {
          address: winner.entry.resolver,
          depth: winner.depth,
          isKnown: isOneOf(contracts.resolverCode, winner.resolverCode),
        }
      : null,
    isKnown: end.unknown === null,
    pathExpiry: entry && least(steps.slice(0, -1).map((step) => step.entry.expiry)),
    isBelowRegistered: above.length > 0,
    registeredAbove: registeredAbove ?? null,
    ...end,
  };
}

/** Why the path ended above the name. */
function endOf(
  last: Step | undefined,
  { now, contracts }: At,
): Pick<Walk, "unknown" | "missing" | "hasExpired"> {
  if (last === undefined) return { unknown: null, missing: { depth: 1, isWrapper: false } };
  const { subregistry, expiry } = last.entry;
  if (expiry <= now) return { unknown: null, missing: null, hasExpired: true };
  if (subregistry === null) return { unknown: null, missing: null };
  const depth = last.depth + 1;
  const isKnown =
    subregistry === contracts.rootRegistry ||
    subregistry === contracts.ethRegistry ||
    isOneOf(contracts.registryCode, last.subregistryCode);
  if (!isKnown) return { unknown: { registry: subregistry, depth }, missing: null };
  return {
    unknown: null,
    missing: { depth, isWrapper: isOneOf(contracts.wrapperCode, last.subregistryCode) },
  };
}

const isOneOf = (codes: ReadonlySet<Address>, code: Address | null): boolean =>
  code !== null && codes.has(code);

const least = (times: readonly bigint[]): bigint | null =>
  times.reduce<bigint | null>((found, time) => (found === null || time < found ? time : found), null);
