import type { Ctx } from "../http/context.ts";
import type { DomainRow } from "../query/domains.ts";
import type { DomainState } from "./domainState.ts";
import { applyEnsv2 } from "./ensv2.ts";

/**
 * The names of a page, as they are now. Where there is ENSv2, what the tables list can be behind: the way from the root
 * registry decides what is shown.
 */
export async function checkListed<Row extends DomainRow>(
  ctx: Ctx,
  rows: readonly Row[],
): Promise<readonly DomainState[]> {
  const { ensv2, chainId } = ctx.contracts;
  if (ensv2 === undefined) return rows;
  const ofMain = new Map(rows.flatMap((row) => (row.chainId === chainId ? [[row.node, row] as const] : [])));
  const asked = [...ofMain.keys()].map((node) => ({ query: node, node }));
  const checked = await applyEnsv2(ctx, asked, ofMain);
  return rows.map((row) => (row.chainId === chainId ? (checked.get(row.node) ?? row) : row));
}
