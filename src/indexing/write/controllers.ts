import type { Context } from "ponder:registry";
import { controller as controllers } from "ponder:schema";
import type { Address } from "viem";
import type { LogRef } from "./logRef.ts";

/*
 * Contracts that may sell names. The registrar names those that ask it themselves, the NameWrapper those that ask through it:
 * what a renewal changes depends on which.
 */

type Controller = Pick<typeof controllers.$inferSelect, "isRegistrars" | "isWrappers">;

const unknown: Controller = { isRegistrars: false, isWrappers: null };

/** What the registrar and the wrapper said of a controller. */
export async function findController(context: Context, controller: Address): Promise<Controller> {
  return (await context.db.find(controllers, { chainId: context.chain.id, controller })) ?? unknown;
}

async function patchController(
  { db }: Context,
  { chainId }: LogRef,
  controller: Address,
  patch: Partial<Controller>,
) {
  await db
    .insert(controllers)
    .values({ chainId, controller, ...unknown, ...patch })
    .onConflictDoUpdate(patch);
}

/** The registrar took on a controller. Writes: controllers. */
export const putRegistrarController = (context: Context, log: LogRef, controller: Address): Promise<void> =>
  patchController(context, log, controller, { isRegistrars: true });

/** The wrapper took on a controller, or dropped it. Writes: controllers. */
export const setWrapperController = (
  context: Context,
  log: LogRef,
  controller: Address,
  isWrappers: boolean,
): Promise<void> => patchController(context, log, controller, { isWrappers });

/** Whether a controller renews through the wrapper. */
export const isWrapping = ({ isWrappers }: Controller): boolean => isWrappers === true;

/** Which of the two entries that have the logs of unlisted controllers handles those of this one. */
export const isFollowedBy = (
  entry: "AddedController" | "WrapperController",
  { isRegistrars, isWrappers }: Controller,
): boolean => (entry === "WrapperController") === (!isRegistrars && isWrappers !== null);
