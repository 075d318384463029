import type { z } from "@hono/zod-openapi";
import type { Ctx } from "../../server/http/context.ts";
import type { DomainState } from "../resolution/domainState.ts";
import { type Includable, includable, withIncluded } from "../resolution/included.ts";
import type { domainItem } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toDomainItem } from "../serializers/toDomain.ts";

/** The parameter that asks for more of each name; a list with extra choices describes them. */
export const included = <Word extends string = never>(...more: readonly Word[]) =>
  input
    .words<Includable | Word>([...includable, ...more], "include", {
      description:
        "Additional fields of items, which cost more queries: `migration` and `role_holder_count` of ENSv2 names, `subname_count`",
      example: "subname_count",
    })
    .optional();

/** Items of a page of names. */
export async function listedItems(
  ctx: Ctx,
  names: readonly DomainState[],
  include: readonly Includable[] = [],
): Promise<z.infer<typeof domainItem>[]> {
  const complete = await withIncluded(ctx, names, include);
  return complete.map((name) => toDomainItem(name, ctx));
}
