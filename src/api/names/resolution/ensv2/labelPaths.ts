import type { Hex } from "viem";
import { nodeOfNameByNode } from "../../../../ens/name.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { mapYielding } from "../../../server/scheduling/turns.ts";
import { listPathsUp } from "../../query/ensv2Paths.ts";
import { labelhashesOf } from "../../schemas/input.ts";
import type { DomainState } from "../domainState.ts";
import type { Requested } from "../indexedName.ts";
import type { Path } from "./walk.ts";

/** The labels of a name from the top, and its stored row. */
export type NamePath = { requested: Requested; row: DomainState | undefined; path: Path };

/**
 * Finds the labels of names from the top, each name once. The path of a name written by its node is found from row to row. A name
 * whose ancestors are unknown is left out.
 */
export async function findPaths(
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
