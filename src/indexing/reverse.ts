import { type Context, type Event, ponder } from "ponder:registry";
import { domain } from "ponder:schema";
import { coinTypeOfChain, DEFAULT_COIN_TYPE } from "../ens/coinType.ts";
import { ADDR_REVERSE_NODE, childNode, labelhash } from "../ens/name.ts";
import { appendEvent } from "./write/events.ts";
import { logRefOf } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";
import { type NameClaim, putClaim, refreshClaim } from "./write/primaryNames.ts";

const REVERSE_REGISTRAR = "REVERSE_REGISTRAR";

/**
 * An address claimed its reverse node; the log spells out which, before the registry's own. A node that was claimed
 * when nothing told its address may have a name already. Writes: events, labels, domains, primary names.
 */
ponder.on("ReverseRegistrar:ReverseClaimed", async ({ event, context }) => {
  const { addr: address, node } = event.args;
  const cause = logRefOf(context, event, REVERSE_REGISTRAR, "ReverseClaimed");
  await appendEvent(context, cause, { node, address });
  const label = address.slice(2);
  const hash = labelhash(label);
  if (childNode(ADDR_REVERSE_NODE, hash) !== node) return;
  await learnLabel(context, hash, label);
  const reverse = await context.db.find(domain, { chainId: cause.chainId, node });
  if (reverse !== null) await refreshClaim(context, cause, reverse);
});

ponder.on("ReverseRegistrar:DefaultResolverChanged", async ({ event, context }) => {
  const cause = logRefOf(context, event, REVERSE_REGISTRAR, "DefaultResolverChanged");
  await appendEvent(context, cause, { resolverAddress: event.args.resolver });
});
ponder.on("ReverseRegistrar:ControllerChanged", async ({ event, context }) => {
  const cause = logRefOf(context, event, REVERSE_REGISTRAR, "ControllerChanged");
  await appendEvent(context, cause, { details: event.args });
});
ponder.on("ReverseRegistrar:OwnershipTransferred", async ({ event, context }) => {
  const cause = logRefOf(context, event, REVERSE_REGISTRAR, "OwnershipTransferred");
  await appendEvent(context, cause, { details: event.args });
});

ponder.on("DefaultReverseRegistrar:NameForAddrChanged", (args) =>
  onNameForAddr(args, "DEFAULT_REVERSE_REGISTRAR", DEFAULT_COIN_TYPE),
);
ponder.on("L2ReverseRegistrar:NameForAddrChanged", (args) =>
  onNameForAddr(args, "L2_REVERSE_REGISTRAR", coinTypeOfChain(args.context.chain.id)),
);

ponder.on("DefaultReverseRegistrar:ControllerChanged", async ({ event, context }) => {
  const cause = logRefOf(context, event, "DEFAULT_REVERSE_REGISTRAR", "ControllerChanged");
  await appendEvent(context, cause, { details: event.args });
});
ponder.on("DefaultReverseRegistrar:OwnershipTransferred", async ({ event, context }) => {
  const cause = logRefOf(context, event, "DEFAULT_REVERSE_REGISTRAR", "OwnershipTransferred");
  await appendEvent(context, cause, { details: event.args });
});

type NameForAddr = { event: Event<"DefaultReverseRegistrar:NameForAddrChanged">; context: Context };

/** An address set its name at a registrar of ENSIP-19; an empty one clears it. Writes: events, primary names. */
async function onNameForAddr(
  { event, context }: NameForAddr,
  registrar: NameClaim["registrar"],
  coinType: bigint,
) {
  const { addr: address, name } = event.args;
  const cause = logRefOf(context, event, registrar, "NameForAddrChanged");
  await appendEvent(context, cause, { address, name, coinType });
  await putClaim(context, cause, {
    ...{ address, coinType: Number(coinType), registrar },
    name: name === "" ? null : name,
    isNameKnown: true,
  });
}
