import type { Context } from "ponder:registry";
import { workList, workOwner, workQueue } from "ponder:schema";
import type { Hex } from "viem";
import type { LogRef } from "./logRef.ts";
import { put } from "./put.ts";

/*
 * One log can ask for work in any number of rows: a label stands in thousands of names, a registry of ENSv2 has thousands of
 * entries. So a block of a chain does a bounded number of them, and the others wait for later blocks. What waits is in
 * tables, so a reorganisation takes it back with everything else.
 *
 * Who has much to do must not keep others waiting. Each owner of work has a turn after the others, and its lists come one
 * after the other. A list waits once at most, however often it is asked for.
 */

/** The ordinal that places work of earlier blocks before the rows of the log that resumes it. */
const BEFORE_LOG = -2_000_000;

/** How many rows of a chain are looked at in one block. They take less than a second. */
export const MAX_WORK_PER_BLOCK = 500;
/** How many of them belong to one owner before others have their turn. */
export const WORK_PER_TURN = 25;

type StoredList = typeof workList.$inferSelect;
type Kind = StoredList["kind"];

/** The rows to process: all of a list, from the first; none if the list is obsolete. */
export type WorkList = Pick<StoredList, "kind" | "owner" | "node" | "depth"> & { first: Hex | null };

/**
 * A list in progress, at its next row (null at the end). One that was requested again continues to its end, then from
 * its first row (`restartItem`) to where it was at that moment (`stopItem`).
 */
type Cursor = Pick<StoredList, "nextItem" | "restartItem" | "stopItem">;

/** What a kind of work does. */
export type Work = {
  /** The row after a row of the list; null at its end. */
  next: (context: Context, list: WorkList, item: Hex) => Promise<Hex | null>;
  /** Looks at a row. Gives the lists that have to follow. `done` counts the rows of the block. */
  visit: (context: Context, log: LogRef, list: WorkList, item: Hex, done: number) => Promise<WorkList[]>;
  /** The list is over. */
  finish?: (context: Context, list: WorkList) => Promise<void>;
};

const works = new Map<Kind, Work>();

/** Says what a kind of work does. Those who do it also ask for it, so the queue cannot import them. */
export const defineWork = (kind: Kind, work: Work): void => void works.set(kind, work);

function workOf(kind: Kind): Work {
  const work = works.get(kind);
  if (work === undefined) throw new Error(`Nothing says how to do work of the kind ${kind}`);
  return work;
}

/** Resumes work that earlier blocks left. Writes: work_queues, work_owners, work_lists, and what the work writes. */
export async function resumeWork(context: Context, log: LogRef): Promise<void> {
  for (;;) {
    const { firstOwner, done } = await findQueue(context, log);
    if (firstOwner === null || done >= MAX_WORK_PER_BLOCK) return;
    await takeTurn(context, { ...log, ordinal: BEFORE_LOG }, firstOwner);
  }
}

/**
 * Processes rows of lists, as many as the block still allows, and stores the rest. If anything waits already, these
 * wait behind it. Writes: as {@link resumeWork}.
 */
export async function work(context: Context, log: LogRef, lists: readonly WorkList[]): Promise<void> {
  if (lists.length === 0) return;
  const { firstOwner } = await findQueue(context, log);
  if (firstOwner === null) return workNow(context, log, lists);
  await workLater(context, log, lists);
}

/** Stores lists for the next block, and for later ones. Writes: work_queues, work_owners, work_lists. */
export async function workLater(context: Context, log: LogRef, lists: readonly WorkList[]): Promise<void> {
  for (const list of lists) await putList(context, log, list);
}

/** Does work that need not wait, and stores only the rest: usually nothing. */
async function workNow(context: Context, log: LogRef, lists: readonly WorkList[]): Promise<void> {
  const open = new Map<string, { list: WorkList; cursor: Cursor }>();
  const ask = (list: WorkList) => {
    const key = `${list.owner}:${list.node}`;
    open.set(key, { list, cursor: merged(open.get(key)?.cursor, list) });
  };
  for (const list of lists) ask(list);
  for (let [next] = open; next !== undefined; [next] = open) {
    const [key, { list, cursor }] = next;
    if (cursor.nextItem === null) {
      open.delete(key);
      continue;
    }
    const done = await countWork(context, log);
    if (done === null) break;
    const following = await lookAt(context, log, list, cursor, done, async (moved) => {
      open.set(key, { list, cursor: moved });
    });
    for (const one of following) ask(one);
    if (open.get(key)?.cursor.nextItem === null) await workOf(list.kind).finish?.(context, list);
  }
  for (const { list, cursor } of open.values()) await enqueue(context, log, list, cursor);
}

/** Looks at the next row of a list, after the list has moved on. Gives the lists that have to follow. */
async function lookAt(
  context: Context,
  log: LogRef,
  list: WorkList,
  cursor: Cursor,
  done: number,
  store: (moved: Cursor) => Promise<void>,
): Promise<WorkList[]> {
  const { nextItem: item } = cursor;
  if (item === null) return [];
  const { next, visit } = workOf(list.kind);
  await store(moved(cursor, await next(context, list, item)));
  return visit(context, log, list, item, done);
}

/** A list after it was asked for: from its first row on, or once more around if it is on its way. */
function merged(cursor: Cursor | undefined, { first }: WorkList): Cursor {
  const now = cursor?.nextItem ?? null;
  if (first === null || now === null || now === first)
    return { nextItem: first, restartItem: null, stopItem: null };
  return { nextItem: now, restartItem: first, stopItem: now };
}

/** A list after a row of it, by the row after that. */
function moved({ restartItem, stopItem }: Cursor, next: Hex | null): Cursor {
  const item = next ?? restartItem;
  const isLastRound = next === null || restartItem === null;
  if (isLastRound && item === stopItem) return { nextItem: null, restartItem: null, stopItem: null };
  return { nextItem: item, restartItem: isLastRound ? null : restartItem, stopItem };
}

type Queue = Pick<typeof workQueue.$inferSelect, "blockNumber" | "done" | "firstOwner" | "lastOwner">;

/** What waits on a chain, and how much was done in the block of a log. */
async function findQueue(context: Context, { chainId, blockNumber }: LogRef): Promise<Queue> {
  const row = await context.db.find(workQueue, { chainId });
  if (row === null) return { blockNumber, done: 0, firstOwner: null, lastOwner: null };
  const { firstOwner, lastOwner } = row;
  return { blockNumber, done: row.blockNumber === blockNumber ? row.done : 0, firstOwner, lastOwner };
}

const putQueue = (context: Context, { chainId }: LogRef, queue: Queue) =>
  put(context, workQueue, { chainId }, queue);

/** Counts a row that is looked at. Gives how many were before it in the block; null if the block may do no more. */
async function countWork(context: Context, log: LogRef): Promise<number | null> {
  const queue = await findQueue(context, log);
  if (queue.done >= MAX_WORK_PER_BLOCK) return null;
  await putQueue(context, log, { ...queue, done: queue.done + 1 });
  return queue.done;
}

const findOwner = (context: Context, { chainId }: LogRef, owner: Hex) =>
  context.db.find(workOwner, { chainId, owner });

const findList = (context: Context, { chainId }: LogRef, owner: Hex, node: Hex) =>
  context.db.find(workList, { chainId, owner, node });

/** Gives the owner whose turn is next its turn, and its place behind all others if it is not done then. */
async function takeTurn(context: Context, log: LogRef, owner: Hex): Promise<void> {
  const { chainId } = log;
  const next = (await findOwner(context, log, owner))?.nextOwner ?? null;
  const queue = await findQueue(context, log);
  await putQueue(context, log, { ...queue, firstOwner: next, lastOwner: next && queue.lastOwner });
  for (let used = 0; used < WORK_PER_TURN; used++) {
    const node = (await findOwner(context, log, owner))?.firstNode ?? null;
    const list = node && (await findList(context, log, owner, node));
    const done = list && (await countWork(context, log));
    if (list === null || done === null) break;
    await visitList(context, log, list, done);
  }
  if ((await findOwner(context, log, owner))?.firstNode) await putLast(context, log, owner);
  else await context.db.update(workOwner, { chainId, owner }).set({ isQueued: false, nextOwner: null });
}

/** Looks at the next row of a stored list, the first one of its owner. A list that is over leaves its place. */
async function visitList(context: Context, log: LogRef, row: StoredList, done: number): Promise<void> {
  const { chainId, owner, node, kind, depth } = row;
  const list = { kind, owner, node, depth, first: row.nextItem };
  const following = await lookAt(context, log, list, row, done, async (cursor) => {
    await context.db.update(workList, { chainId, owner, node }).set(cursor);
  });
  for (const one of following) await putList(context, log, one);
  const now = await findList(context, log, owner, node);
  if (now === null || now.nextItem !== null) return;
  if (row.nextItem !== null) await workOf(kind).finish?.(context, list);
  await context.db.update(workList, { chainId, owner, node }).set({ isQueued: false, nextNode: null });
  const { nextNode } = now;
  await context.db
    .update(workOwner, { chainId, owner })
    .set(nextNode === null ? { firstNode: null, lastNode: null } : { firstNode: nextNode });
}

/** Stores a requested list. If it already waits, it must be processed once more. */
async function putList(context: Context, log: LogRef, list: WorkList): Promise<void> {
  const before = await findList(context, log, list.owner, list.node);
  const isWaiting = before !== null && before.nextItem !== null;
  if (list.first === null && !isWaiting) return;
  await enqueue(context, log, list, merged(before ?? undefined, list));
}

/** Stores a list as it is, behind the others of its owner unless it is among them. */
async function enqueue(context: Context, log: LogRef, list: WorkList, cursor: Cursor): Promise<void> {
  const { chainId, blockNumber: sinceBlockNumber, blockTimestamp: sinceTimestamp } = log;
  const { owner, node, kind, depth } = list;
  const before = await findList(context, log, owner, node);
  const since = before?.nextItem == null ? { sinceBlockNumber, sinceTimestamp } : {};
  if (before?.isQueued) {
    await context.db.update(workList, { chainId, owner, node }).set({ ...cursor, ...since });
    return;
  }
  const waiting = { isQueued: true, nextNode: null, sinceBlockNumber, sinceTimestamp };
  await put(context, workList, { chainId, owner, node }, { kind, depth, ...cursor, ...waiting });
  const row = await findOwner(context, log, owner);
  const lists = { firstNode: row?.firstNode ?? node, lastNode: node };
  if (row?.lastNode)
    await context.db.update(workList, { chainId, owner, node: row.lastNode }).set({ nextNode: node });
  await context.db
    .insert(workOwner)
    .values({ chainId, owner, ...lists, isQueued: false, nextOwner: null })
    .onConflictDoUpdate(lists);
  if (!row?.isQueued) await putLast(context, log, owner);
}

/** Puts an owner behind all others. */
async function putLast(context: Context, log: LogRef, owner: Hex): Promise<void> {
  const { chainId } = log;
  const queue = await findQueue(context, log);
  if (queue.lastOwner !== null)
    await context.db.update(workOwner, { chainId, owner: queue.lastOwner }).set({ nextOwner: owner });
  await context.db.update(workOwner, { chainId, owner }).set({ isQueued: true, nextOwner: null });
  await putQueue(context, log, { ...queue, firstOwner: queue.firstOwner ?? owner, lastOwner: owner });
}
