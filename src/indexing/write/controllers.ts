import type { Context } from "ponder:registry";
import { controller as controllers } from "ponder:schema";
import type { Address } from "viem";
import { addressesOf, isListedController } from "./contracts.ts";
import type { LogRef } from "./logRef.ts";

/*
 * Contracts that may sell names. The registrar names those that ask it themselves, the NameWrapper those that ask through it:
 * what a renewal changes depends on which.
 */

type Controller = Pick<typeof controllers.$inferSelect, "isRegistrars" | "isWrappers" | "unlisted">;

const unknown: Controller = { isRegistrars: false, isWrappers: null, unlisted: null };

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
export async function setWrapperController(
  context: Context,
  log: LogRef,
  controller: Address,
  isWrappers: boolean,
): Promise<void> {
  const before = await findController(context, controller);
  await patchController(context, log, controller, { isWrappers });
  const wasWrappers = before.isWrappers === true;
  if (wasWrappers === isWrappers || isListedController(context, controller)) return;
  const { unlisted } = await findController(context, log.contractAddress);
  await patchController(context, log, log.contractAddress, {
    unlisted: (unlisted ?? 0) + (isWrappers ? 1 : -1),
  });
}

/**
 * Whether a contract may renew through the wrapper whose logs are not known to be read: those of listed controllers always
 * follow.
 */
export async function maySilentlyRenew(context: Context): Promise<boolean> {
  const wrapper = addressesOf(context, "NameWrapper")[0];
  if (wrapper === undefined) return false;
  return ((await findController(context, wrapper)).unlisted ?? 0) > 0;
}

/**
 * How a controller renews: through the wrapper, or at the registrar itself. Null where that is not known: it may do both, or
 * neither.
 */
export function wayOfRenewals({ isRegistrars, isWrappers }: Controller): "wrapper" | "registrar" | null {
  if (isRegistrars === (isWrappers === true)) return null;
  return isRegistrars ? "registrar" : "wrapper";
}

/** Which of the two entries that have the logs of unlisted controllers handles those of this one. */
export const isFollowedBy = (
  entry: "AddedController" | "WrapperController",
  { isRegistrars, isWrappers }: Controller,
): boolean => (entry === "WrapperController") === (!isRegistrars && isWrappers !== null);
