import { type Address, zeroAddress } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import type { DomainRow } from "../query/domains.ts";
import type { Relation } from "../rules/relations.ts";
import type { DomainState } from "./domainState.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import type { Ensv2State } from "./ensv2/state.ts";
import { showTexts } from "./provenLabels.ts";

/**
 * Returns the current states of a page's rows, in their order, with all known labels. Rows of ENSv2 names can lag, so the walk
 * from the root registry decides what is shown. A lagging row was selected by outdated values: its name is left out unless it
 * still belongs to the list. Totals count rows.
 *
 * @param belongs whether the current state of a name belongs to the list; rows of several lists can be checked at once
 */
export async function checkListed<Row extends DomainRow>(
  ctx: Ctx,
  rows: readonly Row[],
  belongs: (state: DomainState, row: Row) => boolean,
): Promise<Map<Row, DomainState>> {
  const listed = await currentStates(ctx, rows, belongs);
  const shown = await showTexts(
    ctx,
    listed.map(({ state }) => state),
  );
  return new Map(listed.map(({ row }, i) => [row, shown[i] as DomainState]));
}

type Listed<Row> = { row: Row; state: DomainState };

async function currentStates<Row extends DomainRow>(
  ctx: Ctx,
  rows: readonly Row[],
  belongs: (state: DomainState, row: Row) => boolean,
): Promise<Listed<Row>[]> {
  const { chainId } = ctx.contracts;
  const ofMain = new Map(rows.flatMap((row) => (row.chainId === chainId ? [[row.node, row] as const] : [])));
  const requested = [...ofMain.keys()].map((node) => ({ query: node, node }));
  const found = await readEnsv2(ctx, requested, ofMain);
  return rows.flatMap((row): Listed<Row>[] => {
    const state: DomainState = (row.chainId === chainId && found.get(row.node)?.state) || row;
    return !isBehind(row, state.ensv2, ctx.now) || belongs(state, row) ? [{ row, state }] : [];
  });
}

/** Whether the walk from the root registry now leads to another entry than the row has. */
function isBehind(row: DomainRow, ensv2: Ensv2State | undefined, now: number): boolean {
  if (ensv2 === undefined) return false;
  if (row.registry === null) return ensv2.protocol === "ensv2";
  const { entry } = ensv2.walk;
  if (entry === null) return row.registry !== zeroAddress && !hasPathEnded(row, now);
  return (
    entry.registry !== row.registry ||
    entry.owner !== row.effectiveOwnerAddress ||
    entry.expiry !== row.expiryTimestamp ||
    entry.resolver !== row.resolver
  );
}

/** The row itself says that no registry answers for the name. */
const hasPathEnded = ({ pathExpiryTimestamp }: DomainRow, now: number): boolean =>
  pathExpiryTimestamp !== null && pathExpiryTimestamp <= BigInt(now);

/**
 * Whether an address still has one of these relations to a name whose row lags. Its entry decides, also after the expiry,
 * because lists use stored values. ENSv1 owners never lag, and an ENSv2 name is not wrapped and has no manager.
 */
export const isHeldBy =
  (address: Address, relations: readonly Relation[]) =>
  ({ ensv2, isWrapped }: DomainState): boolean => {
    const entry = ensv2?.walk.entry ?? null;
    const is: Partial<Record<Relation, boolean>> = {
      effective_owner: entry?.owner === address,
      resolver: entry?.resolver === address,
      wrapper_owner: isWrapped,
      manager: ensv2?.protocol === "ensv1",
    };
    return relations.some((relation) => is[relation] ?? true);
  };
