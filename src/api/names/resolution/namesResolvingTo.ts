import { zeroAddress } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import type { Position } from "../query/keyset.ts";
import { emptyPage, type Page, type Part } from "../query/page.ts";
import { listPointing, type Pointing, type ResolvesTo } from "../query/resolvesTo.ts";
import type { DomainState } from "./domainState.ts";
import { recordsOf } from "./ensv2/ensv2Records.ts";
import { readFacts } from "./nameFacts.ts";

/** The current state of a name that has an address, with the coin types of the matching records. */
export type PointingName = { state: DomainState; coinTypes: readonly string[] };

/** Up to this many names are checked by walking the path to each. Beyond it, only the names of the page are checked. */
export const MAX_CHECKED = 1_000;

/**
 * The names that have an address. Rows are the candidates. If several chains or ENSv2 are indexed, the path to each name decides
 * whether that record is the one in effect.
 */
export async function listNamesOf(ctx: Ctx, asked: Omit<ResolvesTo, "contracts" | "now">, part: Part) {
  const { contracts, now } = ctx;
  const query = { ...asked, contracts, now };
  if (asked.address === zeroAddress) return emptyPage(part);
  if (contracts.ensv2 === undefined && contracts.managed.length === 0)
    return checked(ctx, await listPointing(ctx.db, query, part));
  const first = { page: 1, size: MAX_CHECKED, isCounted: false };
  const { rows: all, next } = await listPointing(ctx.db, query, first);
  if (next !== null) return checked(ctx, await listPointing(ctx.db, query, part));
  return pageOf(await checkAll(ctx, all), part);
}

type Found = Page<PointingName>;

const checked = async (ctx: Ctx, { rows, ...page }: Page<Pointing>): Promise<Found> => ({
  ...page,
  rows: (await checkAll(ctx, rows)).map(({ name }) => name),
});

type Checked = { row: Pointing; name: PointingName };

/** Keeps the rows whose record is in effect for the name. A node on two chains occurs once, as it resolves. */
async function checkAll(ctx: Ctx, rows: readonly Pointing[]): Promise<Checked[]> {
  const requested = [...new Set(rows.map(({ node }) => node))].map((node) => ({ query: node, node }));
  const facts = await readFacts(ctx, requested);
  const states = new Map(facts.map(({ requested: { node }, indexed }) => [node, indexed?.state]));
  return rows.flatMap((row) => {
    const state = states.get(row.node);
    const key = state && isAnswered(state, ctx) ? recordsOf(state) : null;
    const isItsRecord =
      key?.chainId === row.chainId && key.resolver === row.resolver && key.node === row.record;
    return state && isItsRecord ? [{ row, name: { state, coinTypes: row.coinTypes } }] : [];
  });
}

/** True if the index has the records of a name. */
const isAnswered = ({ ensv2, resolver, chainId }: DomainState, { contracts }: Ctx): boolean =>
  ensv2?.records.kind === "byNumber" || (resolver !== null && contracts.isIndexedResolver(resolver, chainId));

/** A page of names that were all read. */
function pageOf(all: readonly Checked[], part: Part): Found {
  const from = part.after === undefined ? (part.page - 1) * part.size : countUpTo(all, part.after);
  const rows = all.slice(from, from + part.size);
  const last = rows.at(-1)?.row;
  const hasMore = all.length > from + part.size;
  return {
    total: part.isCounted ? all.length : null,
    rows: rows.map(({ name }) => name),
    next: hasMore && last ? [last.node, String(last.chainId), last.resolver] : null,
  };
}

/** The number of names up to and including a position, in list order. */
const countUpTo = (all: readonly Checked[], [node = "", chainId, resolver = ""]: Position): number =>
  all.filter(({ row }) => {
    const pairs = [
      [row.node, node ?? ""],
      [row.chainId, Number(chainId)],
      [row.resolver, resolver ?? ""],
    ] as const;
    const differing = pairs.find(([one, other]) => one !== other);
    return differing === undefined || differing[0] < differing[1];
  }).length;
