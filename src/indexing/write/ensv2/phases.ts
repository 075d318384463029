import type { Context } from "ponder:registry";
import { ensv2Phase, ensv2V1Controller } from "ponder:schema";
import type { Address } from "viem";
import { addressesIn, addressesOf } from "../contracts.ts";
import type { LogRef } from "../logRef.ts";

/**
 * Steps of the change from ENSv1 to ENSv2, as far as logs tell them. Source: ensdomains/contracts-v2, docs/migration.md.
 *
 * - `deployed`: the root registry logged.
 * - `reserving`: the ETH registry reserved a name.
 * - `frozen`: ENSv1's registrar has no controller left that registers names; first after `deployed`.
 * - `handed_over`: a contract that renews reserved names became its controller.
 * - `open`: a registrar of ENSv2 may register names in the ETH registry.
 * - `public`: the universal resolver's proxies got other code after that. Logs do not tell what the code does: the resolver
 *   itself answers `isENSv2()`.
 */
type Phase = "deployed" | "reserving" | "frozen" | "handed_over" | "open" | "public";

/** Whether the main chain reached a phase. */
export const isReached = async (context: Context, phase: Phase): Promise<boolean> =>
  (await context.db.find(ensv2Phase, { chainId: context.chain.id, phase })) !== null;

/** Stores when a phase was reached first. Writes: ensv2_phases. */
export async function reachPhase(context: Context, log: LogRef, phase: Phase): Promise<void> {
  if (await isReached(context, phase)) return;
  const { chainId, blockNumber, blockTimestamp, transactionHash } = log;
  await context.db
    .insert(ensv2Phase)
    .values({ chainId, phase, blockNumber, blockTimestamp, transactionHash });
}

/** More controllers than ENSv1's registrar will ever have at a time. */
const MAX_CONTROLLERS = 100;

/** ENSv1's registrar got a controller, or lost one. Writes: ensv2_v1_controllers, ensv2_phases. */
export async function setV1Controller(
  context: Context,
  log: LogRef,
  controller: Address,
  isController: boolean,
): Promise<void> {
  if (addressesOf(context, "Ensv2RootRegistry").length === 0) return;
  if (addressesOf(context, "Ensv2RenewerV1").includes(controller)) {
    if (isController) await reachPhase(context, log, "handed_over");
    return;
  }
  if (addressesIn(context, "graveyards").includes(controller)) return;
  const isLeft = await changeControllers(context, log, controller, isController);
  if (!isLeft && (await isReached(context, "deployed"))) await reachPhase(context, log, "frozen");
}

/** Stores the registrar's controllers, without gaps. True if any is left. */
async function changeControllers(
  context: Context,
  { chainId, contractAddress: registrar }: LogRef,
  controller: Address,
  isController: boolean,
): Promise<boolean> {
  const rowAt = (position: number) => context.db.find(ensv2V1Controller, { chainId, registrar, position });
  let [count, place] = [0, -1];
  for (; count < MAX_CONTROLLERS; count++) {
    const row = await rowAt(count);
    if (row === null) break;
    if (row.controller === controller) place = count;
  }
  if (isController && place < 0 && count < MAX_CONTROLLERS)
    await context.db.insert(ensv2V1Controller).values({ chainId, registrar, position: count, controller });
  if (isController || place < 0) return isController || count > 0;
  const last = await rowAt(count - 1);
  if (last !== null && place !== count - 1)
    await context.db
      .update(ensv2V1Controller, { chainId, registrar, position: place })
      .set({ controller: last.controller });
  await context.db.delete(ensv2V1Controller, { chainId, registrar, position: count - 1 });
  return count > 1;
}
