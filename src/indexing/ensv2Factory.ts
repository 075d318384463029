import { ponder } from "ponder:registry";
import { isLabelOf } from "../ens/name.ts";
import { lookAgain } from "./write/ensv2/mounts.ts";
import { isReached, reachPhase } from "./write/ensv2/phases.ts";
import { putDeployer } from "./write/ensv2/proxies.ts";
import { appendEventOnly, appendLog } from "./write/events.ts";
import { logRefOf } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";

/**
 * The last log of a proxy's deployment: an entry may have the address as its subregistry already. Writes: ensv2_proxies,
 * events, and what {@link lookAgain} writes.
 */
ponder.on("Ensv2Factory:ProxyDeployed", async ({ event, context }) => {
  const { sender, proxyAddress: address, salt, implementation } = event.args;
  const log = logRefOf(context, event, "ENSV2_FACTORY", "ProxyDeployed");
  const isChanged = await putDeployer(context, log, { address, implementation, deployedBy: sender });
  await appendEventOnly(context, log, { details: { sender, proxyAddress: address, salt, implementation } });
  if (isChanged) await lookAgain(context, log, address);
});

/** Anybody may store the text of a label, also of a name of ENSv1. Writes: labels, domains, events. */
ponder.on("Ensv2LabelStore:Label", async ({ event, context }) => {
  const { labelHash, label } = event.args;
  const log = logRefOf(context, event, "ENSV2_LABEL_STORE", "Label");
  if (isLabelOf(labelHash, label)) await learnLabel(context, log, labelHash, label);
  await appendEventOnly(context, log, { details: { labelHash, label } });
});

/** The code behind the universal resolver changed. Writes: events, ensv2_phases. */
ponder.on("Ensv2UniversalResolver:Upgraded", async (args) => {
  const { event, context } = args;
  const { implementation } = event.args;
  await appendLog(args, "ENSV2_UNIVERSAL_RESOLVER", "Upgraded", { details: { implementation } });
  const log = logRefOf(context, event, "ENSV2_UNIVERSAL_RESOLVER", "Upgraded");
  if (await isReached(context, "open")) await reachPhase(context, log, "public");
});
