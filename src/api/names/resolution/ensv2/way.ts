import { nodeOfLabels } from "../../../../ens/name.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { listDomains } from "../../query/domains.ts";
import { listPhases } from "../../query/ensv2.ts";
import { isMigratable } from "../../rules/ensv2Protocol.ts";
import type { DomainState } from "../domainState.ts";
import type { NamePath } from "./labelPaths.ts";
import { type Walk, walkNames } from "./walk.ts";

/** Everything besides its row that determines a name's ENSv2 state. */
export type Way = {
  walk: Walk;
  /** True if a wrapper registry leaves the name, or one above it, to ENSv1. */
  isLeft: boolean;
  /** The phases of the ENSv2 migration that the chain has reached. */
  phases: ReadonlySet<string>;
};

/** Reads the paths of names, in their order. */
export async function readWays(ctx: Ctx, paths: readonly NamePath[]): Promise<(NamePath & { way: Way })[]> {
  const [walks, reached] = await Promise.all([
    walkNames(
      ctx,
      paths.map(({ path }) => path),
    ),
    listPhases(ctx.db, ctx.contracts.chainId),
  ]);
  const walked = paths.map((one, i) => ({ ...one, walk: walks[i] as Walk }));
  const phases = new Set(reached.map(({ phase }) => phase));
  return (await withLeft(ctx, walked)).map(({ walk, isLeft, ...one }) => ({
    ...one,
    way: { walk, isLeft, phases },
  }));
}

type Walked = NamePath & { walk: Walk };

/** Finds the names that a wrapper registry on their path leaves to ENSv1, which depends on their state in ENSv1. */
async function withLeft(
  { db, contracts, now }: Ctx,
  walked: readonly Walked[],
): Promise<(Walked & { isLeft: boolean })[]> {
  const places = walked.map((one) => {
    const { missing } = one.walk;
    const node = missing?.isWrapper ? nodeOfLabels(one.path.slice(0, missing.depth).toReversed()) : null;
    return { one, node };
  });
  const rows = new Map(walked.flatMap(({ requested, row }) => (row ? [[requested.node, row] as const] : [])));
  const unread = places.flatMap(({ node }) => (node === null || rows.has(node) ? [] : [node]));
  const read = await listDomains(db, { chainId: contracts.chainId, nodes: [...new Set(unread)] });
  const byNode = new Map<string, DomainState>([...rows, ...read.map((row) => [row.node, row] as const)]);
  return places.map(({ one, node }) => ({
    ...one,
    isLeft: node !== null && isMigratable(byNode.get(node), now),
  }));
}
