import type { Context } from "ponder:registry";
import { domain, label, labelProgress, nameLink } from "ponder:schema";
import type { Hex } from "viem";
import { registrarNode } from "../../ens/managedNames.ts";
import { childNode } from "../../ens/name.ts";
import { workLater } from "./blockQueue.ts";
import { type GivenLabel, isUsable } from "./givenLabels.ts";
import type { LogRef } from "./logRef.ts";
import { storeLabel } from "./names.ts";
import { OF_GIVEN_LABELS } from "./renames.ts";

/*
 * How far a chain has applied the given labels is a row of the index: a reorganisation or a restart takes it back with what
 * was applied, and the next blocks apply it again.
 */

/** How many given labels a chain looks at in one block. */
export const MAX_GIVEN_PER_BLOCK = 1_000;
/** After this many milliseconds the others wait for the next block. */
export const GIVEN_MS_PER_BLOCK = 500;

/** The labels that the next block of a chain applies, until their rows were asked for ahead. */
const coming = new Map<number, readonly GivenLabel[]>();

/**
 * Applies the next of the labels that were given since: each domain that shows the hash gets the text. What one of them asks
 * for in more than two names waits in the block queue, where all given labels together have one turn, as one label of a log
 * has. Writes: label_progress, labels, domains, and what renames need.
 */
export async function applyGivenLabels(context: Context, log: LogRef): Promise<void> {
  const { chainId } = log;
  const given = globalThis.namedexGivenLabels;
  await given?.ready();
  const progress = await context.db.find(labelProgress, { chainId });
  if (progress === null) {
    // The first block of a new index: whatever was given before is found by the name that has it.
    await context.db.insert(labelProgress).values({ chainId, position: given?.newest() ?? 0 });
    return;
  }
  if (given === undefined && progress.position > 0)
    throw new Error("The labels that this index was made with are not there: run it with its API");
  if (given === undefined || given.newest() <= progress.position) return;
  const position = await applyPiece(context, log, given.after(progress.position, MAX_GIVEN_PER_BLOCK));
  await context.db.update(labelProgress, { chainId }).set({ position });
  coming.set(chainId, given.after(position, MAX_GIVEN_PER_BLOCK));
}

/** Applies labels until the block's time is over. Gives the position of the last one. */
async function applyPiece(context: Context, log: LogRef, piece: readonly GivenLabel[]): Promise<number> {
  const end = performance.now() + GIVEN_MS_PER_BLOCK;
  let position = 0;
  for (const given of piece) {
    if (isUsable(given)) await applyLabel(context, log, given);
    position = given.position;
    if (performance.now() >= end) break;
  }
  return position;
}

/** Applies a label, if the chain has its hash and not its text. */
async function applyLabel(context: Context, log: LogRef, given: GivenLabel): Promise<void> {
  const { chainId } = log;
  const { labelhash } = given;
  const row = await context.db.find(label, { chainId, labelhash });
  if (row?.label != null) return;
  const isShown =
    row !== null || (await context.db.find(domain, registeredWith(chainId, labelhash))) !== null;
  if (!isShown) return;
  const lists = await storeLabel(context, given, row);
  await workLater(
    context,
    log,
    lists.map((list) => ({ ...list, owner: OF_GIVEN_LABELS })),
  );
}

/** The name of the chain's registrar with a label. */
const registeredWith = (chainId: number, labelhash: Hex) => ({
  chainId,
  node: childNode(registrarNode(chainId), labelhash),
});

type Row =
  | [typeof label, { chainId: number; labelhash: Hex }]
  | [typeof domain | typeof nameLink, { chainId: number; node: Hex }];

/** The rows that the next block of a chain will look for, once. */
export function rowsOfGivenLabels(chainId: number): Row[] {
  const piece = coming.get(chainId) ?? [];
  coming.delete(chainId);
  return piece.flatMap(({ labelhash }): Row[] => {
    const registered = registeredWith(chainId, labelhash);
    return [
      [label, { chainId, labelhash }],
      [domain, registered],
      [nameLink, registered],
    ];
  });
}
