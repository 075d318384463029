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
    "Whether a resolver answers for the name and, if not, why. `resolves`: one does, whatever records it has; `no_resolver`: neither the name nor an ancestor has one that answers; `no_live_entry`: ENSv2 decides, has no entry for the name, and its path leads to no resolver; `expired`: the name's ENSv2 entry has expired; `expired_parent`: an entry above it has; `not_registered`: a second-level .eth name that no registrar has; `no_answer`: its resolver is not a contract, or leads to none. Absent if only the chain can tell: `live` says that it was not asked, `unresolved` that it could not be",
});
