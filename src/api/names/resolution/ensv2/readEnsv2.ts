import type { Hex } from "viem";
import type { Ctx } from "../../../server/http/context.ts";
import type { DomainState } from "../domainState.ts";
import type { IndexedName, IndexedNames, Requested } from "../indexedName.ts";
import { decideEnsv2 } from "./ensv2Decision.ts";
import { withRecords } from "./ensv2Records.ts";
import { findPaths } from "./labelPaths.ts";
import { readWays } from "./way.ts";

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
  const traced = await readWays(ctx, await findPaths(ctx, ofMain, rows));
  const decided = traced.flatMap((one): [Hex, IndexedName][] => {
    const name = decideEnsv2(one, ctx);
    return name ? [[one.requested.node, name]] : [];
  });
  return withRecords(ctx, new Map([...indexed, ...decided]));
}
