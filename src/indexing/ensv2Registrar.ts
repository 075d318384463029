import { type ArgsOf, on } from "./on.ts";
import { appendTokenPurchase } from "./write/ensv2/purchases.ts";
import { appendArguments } from "./write/events.ts";

/*
 * What was paid for names of the ETH registry, in units of an ERC-20 token. The registry's own logs tell owners and expiries:
 * here is nothing that changes a name.
 */

on("Ensv2Registrar", "NameRegistered", (args) => {
  const { base, premium, owner, subregistry, resolver, duration, ...rest } = args.event.args;
  return appendTokenPurchase(args, {
    ...rest,
    durationSeconds: duration,
    amount: base + premium,
    base,
    premium,
    values: { ownerAddress: owner, resolverAddress: resolver },
    details: { subregistry, base, premium },
  });
});

on("Ensv2Registrar", "NameRenewed", onRenewed);

/** A renewal of a name of ENSv1 that is reserved in ENSv2: token and expiry are those of ENSv2. */
on("Ensv2RenewerV1", "NameRenewed", onRenewed);

/** The renewer has the registrar's events in its ABI, and only ever logs renewals. Writes: events. */
on("Ensv2RenewerV1", "NameRegistered", appendArguments);

function onRenewed(args: ArgsOf<"Ensv2Registrar" | "Ensv2RenewerV1", "NameRenewed">) {
  const { amount, duration, newExpiry, ...rest } = args.event.args;
  return appendTokenPurchase(args, {
    ...rest,
    durationSeconds: duration,
    amount,
    base: null,
    premium: null,
    values: { expiryTimestamp: newExpiry },
    details: {},
  });
}
