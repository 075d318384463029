import { z } from "@hono/zod-openapi";

/** Whether a name resolves, and why not. */
export const resolutionWords = [
  "resolves",
  "no_resolver",
  "no_live_entry",
  "expired",
  "expired_parent",
  "not_registered",
  "no_answer",
] as const;

export const resolution = z.enum(resolutionWords).optional().openapi({
  description:
    "Whether a resolver answers for the name, and if not, why. `resolves`: one does, whatever records it has; `no_resolver`: neither the name nor a name above it has one that answers; `no_live_entry`: the way through ENSv2, which decides, has no entry of the name, and leads to no resolver; `expired`: the name's entry in ENSv2 is past its expiry; `expired_parent`: an entry above it is; `not_registered`: a name right under .eth that no registrar has; `no_answer`: the resolver that it has is no contract, or leads to none. Absent where only the chain can tell: `live` says that it was not asked, `unresolved` that it could not be",
});
