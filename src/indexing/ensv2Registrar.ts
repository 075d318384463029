import { type Event, ponder } from "ponder:registry";
import { appendTokenPurchase } from "./write/ensv2/purchases.ts";
import { appendEventOnly } from "./write/events.ts";
import { type HandlerArgs, logRefOf } from "./write/logRef.ts";

/*
 * What was paid for names of the ETH registry, in units of an ERC-20 token. The registry's own logs tell owners and expiries:
 * here is nothing that changes a name.
 */

ponder.on("Ensv2Registrar:NameRegistered", async ({ event, context }) => {
  const { base, premium, owner, subregistry, resolver, duration, ...rest } = event.args;
  await appendTokenPurchase({ event, context }, "ENSV2_REGISTRAR", "NameRegistered", {
    ...{ ...rest, durationSeconds: duration, amount: base + premium, base, premium },
    values: { ownerAddress: owner, resolverAddress: resolver },
    details: { subregistry, base, premium },
  });
});

ponder.on("Ensv2Registrar:NameRenewed", (args) => onRenewed(args, "ENSV2_REGISTRAR"));

/** A renewal of a name of ENSv1 that is reserved in ENSv2: token and expiry are those of ENSv2. */
ponder.on("Ensv2RenewerV1:NameRenewed", (args) => onRenewed(args, "ENSV2_RENEWER"));

/** The renewer has the registrar's events in its ABI, and only ever logs renewals. Writes: events. */
ponder.on("Ensv2RenewerV1:NameRegistered", ({ event, context }) =>
  appendEventOnly(context, logRefOf(context, event, "ENSV2_RENEWER", "NameRegistered"), {
    details: event.args,
  }),
);

function onRenewed(args: HandlerArgs<Event<"Ensv2Registrar:NameRenewed">>, contract: string) {
  const { amount, duration, newExpiry, ...rest } = args.event.args;
  return appendTokenPurchase(args, contract, "NameRenewed", {
    ...{ ...rest, durationSeconds: duration, amount, base: null, premium: null },
    values: { expiryTimestamp: newExpiry },
    details: {},
  });
}
