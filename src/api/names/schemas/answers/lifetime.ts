import { z } from "@hono/zod-openapi";
import { calledWithoutPremium } from "../../../../../abis/layer2/managedNames.ts";
import { allEndings } from "../../rules/ends.ts";
import { availabilities, GRACE_DAYS, PREMIUM_DAYS } from "../../rules/stages.ts";

export const availabilityStatus = z.enum(availabilities).openapi("AvailabilityStatus", {
  description: `\`registered\`; \`grace\`: expired at most ${GRACE_DAYS} days ago (ENSv2: 28); \`premium\`: the following ${PREMIUM_DAYS} days (not with ${calledWithoutPremium.join(" and ")}, which have none); \`available\`; \`unknown\`: cannot be determined`,
});

/** What ended where no event did. */
export const endedBy = z.enum(allEndings).openapi({
  description:
    "Present if time alone ended it, without a block: the NameWrapper's token expired (`wrapper_expiry`), the grace of a .eth name ended (`grace_end`), or an ENSv2 subname or a name above it expired (`expiry`). `no_registration`: the registrar never registered the name, so anyone can; an earlier one, such as the 2017 auctions, granted it",
});
