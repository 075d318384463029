import { isLabelOf } from "../ens/name.ts";
import { on } from "./on.ts";
import { rescan } from "./write/ensv2/mounts.ts";
import { isReached, reachPhase } from "./write/ensv2/phases.ts";
import { putDeployer } from "./write/ensv2/proxies.ts";
import { appendEvent } from "./write/events.ts";
import { learnLabel } from "./write/names.ts";

/**
 * The last log of a proxy's deployment: an entry may have the address as its subregistry already. Writes: ensv2_proxies,
 * events, and what {@link rescan} writes.
 */
on("Ensv2Factory", "ProxyDeployed", async ({ event, context, log }) => {
  const { sender, proxyAddress: address, salt, implementation } = event.args;
  const isChanged = await putDeployer(context, log, { address, implementation, deployedBy: sender });
  await appendEvent(context, log, { details: { sender, proxyAddress: address, salt, implementation } });
  if (isChanged) await rescan(context, log, address);
});

/** Anybody may store the text of a label, also of a name of ENSv1. Writes: labels, domains, events. */
on("Ensv2LabelStore", "Label", async ({ event, context, log }) => {
  const { labelHash, label } = event.args;
  if (isLabelOf(labelHash, label)) await learnLabel(context, log, labelHash, label);
  await appendEvent(context, log, { details: { labelHash, label } });
});

/** The code behind the universal resolver changed. Writes: events, ensv2_phases. */
on("Ensv2UniversalResolver", "Upgraded", async ({ event, context, log }) => {
  const { implementation } = event.args;
  await appendEvent(context, log, { details: { implementation } });
  if (await isReached(context, "open")) await reachPhase(context, log, "public");
});
