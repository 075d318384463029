import type { Hex } from "viem";
import { nodeOfLabels, nodeOfNameByNode } from "../../../../ens/name.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { mapYielding } from "../../../server/scheduling/turns.ts";
import { listDomains } from "../../query/domains.ts";
import { listPhases } from "../../query/ensv2.ts";
import { listPathsUp } from "../../query/ensv2Paths.ts";
import { isMigratable } from "../../rules/ensv2Protocol.ts";
import { labelhashesOf } from "../../schemas/input.ts";
import type { DomainState } from "../domainState.ts";
import type { IndexedName, IndexedNames, Requested } from "../indexedName.ts";
import { decideEnsv2 } from "./ensv2Decision.ts";
import { withRecords } from "./ensv2Records.ts";
import { type Path, type Walk, walkNames } from "./walk.ts";

/**
 * Replaces the stored state of names on the main chain by their ENSv2 state: the path from the root registry decides, at the time
 * of the request. Names without a row that an ENSv2 registry or resolver has are added.
 */
export async function readEnsv2(
  ctx: Ctx,
  requested: readonly Requested[],
  rows: ReadonlyMap<Hex, DomainState>,
): Promise<IndexedNames> {
  const indexed = new Map<Hex, IndexedName>(
    [...rows].map(([node, state]) => [node, { state, isInRegistry: true }]),
  );
  const { ensv2, chainId } = ctx.contracts;
  if (ensv2 === undefined) return indexed;
  const ofMain = requested.filter(({ node }) => (rows.get(node)?.chainId ?? chainId) === chainId);
  const names = await findPaths(ctx, ofMain, rows);
  const paths = names.map(({ path }) => path);
  const [walks, phases] = await Promise.all([walkNames(ctx, paths), readPhases(ctx)]);
  const left = await findLeft(ctx, names, walks);
  const decided = names.flatMap((name, i): [Hex, IndexedName][] => {
    const way = { walk: walks[i] as Walk, isLeft: left[i] ?? false, phases };
    const found = decideEnsv2({ ...name, way }, ctx);
    return found ? [[name.requested.node, found]] : [];
  });
  return withRecords(ctx, new Map([...indexed, ...decided]));
}

/** The phases of the ENSv2 migration that the chain has reached. */
export async function readPhases({ db, contracts }: Ctx): Promise<ReadonlySet<string>> {
  return new Set<string>((await listPhases(db, contracts.chainId)).map(({ phase }) => phase));
}

/** A name, its stored row, and its labels from the top. */
type NamePath = { requested: Requested; row: DomainState | undefined; path: Path };

/**
 * Finds the labels of names from the top, each name once. The path of a name written by its node is found from row to row. A name
 * whose ancestors are unknown is left out.
 */
async function findPaths(
  { db, contracts }: Ctx,
  requested: readonly Requested[],
  rows: ReadonlyMap<Hex, DomainState>,
): Promise<NamePath[]> {
  const unique = [...new Map(requested.map((one) => [one.node, one])).values()];
  const read = await mapYielding(unique, (one) => {
    const row = rows.get(one.node);
    return { requested: one, row, path: pathOf(textOf(one, row)) };
  });
  const nodes = read.flatMap(({ requested, row, path }) => (path === null && row ? [requested.node] : []));
  const up = await listPathsUp(db, { chainId: contracts.chainId, nodes });
  return read.flatMap(({ path, ...one }) => {
    const known = path ?? up.get(one.requested.node)?.toReversed();
    return known ? [{ ...one, path: known }] : [];
  });
}

const textOf = (requested: Requested, row: DomainState | undefined): string | undefined =>
  "name" in requested && nodeOfNameByNode(requested.name) === null ? requested.name : row?.fullName;

const pathOf = (name: string | undefined): Path | null =>
  name === undefined || name === "" || nodeOfNameByNode(name) !== null
    ? null
    : labelhashesOf(name).toReversed();

/** For each name, whether a wrapper registry on its path leaves it to ENSv1, which depends on the state there. */
async function findLeft(
  { db, contracts, now }: Ctx,
  names: readonly NamePath[],
  walks: readonly Walk[],
): Promise<boolean[]> {
  const places = names.map(({ path }, i) => {
    const missing = walks[i]?.missing;
    return missing?.isWrapper ? nodeOfLabels(path.slice(0, missing.depth).toReversed()) : null;
  });
  const rows = new Map<Hex, DomainState | undefined>(
    names.map(({ requested, row }) => [requested.node, row]),
  );
  const unread = places.flatMap((node) => (node === null || rows.get(node) ? [] : [node]));
  const read = await listDomains(db, { chainId: contracts.chainId, nodes: [...new Set(unread)] });
  for (const row of read) rows.set(row.node, row);
  return places.map((node) => node !== null && isMigratable(rows.get(node), now));
}
