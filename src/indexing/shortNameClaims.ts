import { claimIn, inputWithoutEmail, withoutEmail } from "../ens/shortNameClaims.ts";
import { on } from "./on.ts";
import { appendEvent } from "./write/events.ts";
import { labelled } from "./write/purchases.ts";
import { findClaim, putClaim, setApproved } from "./write/shortNameClaims.ts";

/*
 * Claims to short names (2019). The registrar's log of an approved name has the price (registrar.ts).
 */

// Logs and transactions enter as these leave them (engine/backfill/cacheRows.ts).
Object.assign(globalThis, { namedexStorable: { data: withoutEmail, input: inputWithoutEmail } });

/** Writes: events, labels, domains, short_name_claims. */
on("ShortNameClaims", "ClaimSubmitted", async ({ event, context, log }) => {
  const { claimed, dnsname, paid, claimant } = event.args;
  const { claimId, labelhash } = claimIn(event.log.data);
  const { details, ...values } = await labelled(context, log, claimed, labelhash);
  await appendEvent(context, log, {
    ...values,
    fromAddress: claimant,
    details: { ...details, claimId, dnsname, paid },
  });
  await putClaim(context, log, { claimId, node: values.node, claimant, paidWei: paid });
});

/** The contract's `Status`. */
const statuses = ["pending", "approved", "declined", "withdrawn"] as const;

/** Writes: events, approved_claims. */
on("ShortNameClaims", "ClaimStatusChanged", async ({ event, context, log }) => {
  const { claimId, status: number } = event.args;
  const status = statuses[number] ?? number;
  const claim = await findClaim(context, log, claimId);
  await appendEvent(context, log, {
    node: claim?.node ?? null,
    fromAddress: claim?.claimant ?? null,
    details: { claimId, status },
  });
  if (claim !== null) await setApproved(context, log, { claim, isApproved: status === "approved" });
});
