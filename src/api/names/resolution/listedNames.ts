import { zeroAddress } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { type DomainPage, listMeeting } from "../query/domainLists.ts";
import type { DomainRow } from "../query/domains.ts";
import type { DomainState } from "./domainState.ts";
import type { Ensv2State } from "./ensv2/ensv2State.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import { showTexts } from "./shownTexts.ts";

/** Rows of a list, and the condition that selected the list. */
export type Listed<Row extends DomainRow> = Pick<DomainPage, "condition"> & {
  rows: readonly Row[];
};

/**
 * Returns the current states of the rows of some lists, with all known labels. Rows of ENSv2 names can lag, so the walk from the
 * root registry decides what is shown. A lagging row was selected by outdated values: its name is left out unless it matches the
 * list's condition with the values of its entry. Totals count rows.
 */
export async function checkListed<Row extends DomainRow>(
  ctx: Ctx,
  lists: readonly Listed<Row>[],
): Promise<Map<Row, DomainState>> {
  const { chainId } = ctx.contracts;
  const rows = lists.flatMap((list) => list.rows);
  const ofMain = new Map(rows.flatMap((row) => (row.chainId === chainId ? [[row.node, row] as const] : [])));
  const requested = [...ofMain.keys()].map((node) => ({ query: node, node }));
  const found = await readEnsv2(ctx, requested, ofMain);
  const stateOf = (row: Row): DomainState => (row.chainId === chainId && found.get(row.node)?.state) || row;
  const lagging = lists.map(({ condition, rows }) => {
    const behind = rows.filter((row) => isBehind(row, stateOf(row).ensv2, ctx.now));
    return { condition, rows: new Map(behind.map((row) => [row.node, asStored(stateOf(row))])) };
  });
  const met = await listMeeting(ctx.db, chainId, lagging);
  const listed = lists.flatMap(({ rows }, i) =>
    rows.filter(({ node }) => !lagging[i]?.rows.has(node) || met[i]?.has(node)),
  );
  const shown = await showTexts(ctx, listed.map(stateOf));
  return new Map(listed.map((row, i) => [row, shown[i] as DomainState]));
}

/** The columns of an ENSv2 name as its row will have them once it follows the registry. */
function asStored({ ensv2 }: DomainState) {
  const { entry = null, pathExpiry = null } = ensv2?.walk ?? {};
  return {
    registry: entry?.registry ?? zeroAddress,
    effectiveOwnerAddress: entry?.owner ?? null,
    expiryTimestamp: entry?.expiry ?? null,
    pathExpiryTimestamp: pathExpiry,
    resolver: entry?.resolver ?? null,
    isWrapped: false,
  };
}

/** True if the walk from the root registry now leads to another entry than the row's. */
function isBehind(row: DomainRow, ensv2: Ensv2State | undefined, now: number): boolean {
  if (ensv2 === undefined) return false;
  if (row.registry === null) return ensv2.protocol === "ensv2";
  const { entry } = ensv2.walk;
  if (entry === null) {
    // The row itself may show that no registry controls the name any more.
    const hasPathEnded = row.pathExpiryTimestamp !== null && row.pathExpiryTimestamp <= BigInt(now);
    return row.registry !== zeroAddress && !hasPathEnded;
  }
  return (
    entry.registry !== row.registry ||
    entry.owner !== row.effectiveOwnerAddress ||
    entry.expiry !== row.expiryTimestamp ||
    entry.resolver !== row.resolver
  );
}
