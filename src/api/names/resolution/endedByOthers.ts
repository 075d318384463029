import type { Ctx } from "../../server/http/context.ts";
import { firstTokenOf, type Logged } from "../query/ensv2.ts";
import type { Span } from "../query/spans.ts";
import { startOf } from "../rules/ensv2Protocol.ts";
import { isTokenUnknown } from "../rules/ownership.ts";
import { ancestorNodes, type ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import type { IndexedName } from "./indexedName.ts";

/** True if something other than a log of the name can end its last period, so that the name's state has to be read. */
export const canEndByOthers = (ctx: Ctx, spans: readonly Span[]): boolean =>
  ctx.contracts.ensv2 !== undefined || isAfterToken(spans);

/** True if the last period began when the NameWrapper's token expired. */
function isAfterToken(spans: readonly Span[]): boolean {
  const [before, last] = [spans.at(-2), spans.at(-1)];
  return before?.endedBy === "wrapper_expiry" && last?.fromBlock === null;
}

/** The periods of a history, oldest first, with ends that the name's own logs do not show. */
export async function endedByOthers(
  ctx: Ctx,
  { name, indexed }: { name: ParsedName; indexed: IndexedName | undefined },
  spans: readonly Span[],
): Promise<readonly Span[]> {
  const last = spans.at(-1);
  if (last === undefined || last.toTimestamp !== null || last.reason === "token") return spans;
  if (!indexed?.isInRegistry) return spans;
  // If a renewal may have moved the wrapper's expiry, the next owner is unknown.
  if (isAfterToken(spans) && isTokenUnknown(indexed.state)) return spans.slice(0, -1);
  const end = await endByParent(ctx, name, indexed.state);
  if (end === null || end.timestamp <= last.fromTimestamp) return spans;
  const { block: toBlock, timestamp: toTimestamp, transaction: toTransaction } = end;
  return [...spans.slice(0, -1), { ...last, toBlock, toTimestamp, toTransaction }];
}

/**
 * Once a name's parent is in ENSv2, an ENSv1 subname has no owner, unless it is left to ENSv1, and never has one in ENSv1 again.
 * No log of the name shows this, but the parent's first registration does.
 */
async function endByParent(ctx: Ctx, { name }: ParsedName, { ensv2 }: DomainState): Promise<Logged | null> {
  if (ensv2?.protocol !== "ensv2" || ensv2.walk.entry !== null || ensv2.walk.registeredAbove === null)
    return null;
  const { entry, depth } = ensv2.walk.registeredAbove;
  const node = ancestorNodes(name).at(-depth);
  const first = node && (await firstTokenOf(ctx.db, { chainId: ctx.contracts.chainId, node }));
  if (first) return first;
  // For a parent that the index does not follow, only the entry is known.
  const start = startOf(entry, "registered");
  if (start === null) return null;
  return { block: start.blockNumber, timestamp: start.blockTimestamp, transaction: start.transactionHash };
}
