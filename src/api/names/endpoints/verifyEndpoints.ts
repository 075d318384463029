import { z } from "@hono/zod-openapi";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { listProgress } from "../../server/indexState/progress.ts";
import { queriesThrough } from "../../server/postgres/queriesThrough.ts";
import { compareName } from "../comparison/compareName.ts";
import { failureOrThrow, toApiError } from "../resolution/chain.ts";
import { readMainRows } from "../resolution/indexedRows.ts";
import { answeringChain } from "../resolution/nameChains.ts";
import { readIndexed } from "../resolution/nameFacts.ts";
import { uncompared, verification } from "../schemas/answers.ts";
import { input, type ParsedName } from "../schemas/input.ts";
import { toVerification } from "../serializers/toVerify.ts";

const verify = endpoint({
  method: "get",
  path: "/domain/{name}/verify",
  group: "Domains",
  summary: "Comparison of a name with the contracts",
  description:
    "Every indexed field of a name beside the contracts' answer at the same block, compared by the code of `npm run verify`: owners, expiries, fuses and resolver, the ENSv2 entry, and records at the resolver. Names of a layer 2 are compared as far as the main chain has them. If no node answers or has the state of that block, the request fails without a result.",
  params: z.object({ name: input.name() }),
  reply: verification,
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  handle: async ({ name }, ctx) => {
    const compared = await compare(ctx, name);
    ctx.comparison.note(compared.answers);
    return {
      domain: name.name,
      namehash: name.node,
      ...toVerification(compared),
      left_out: compared.uncompared,
    };
  },
});

type Uncompared = z.infer<typeof uncompared>;

async function compare(ctx: Ctx, name: ParsedName) {
  const { db, contracts, comparison, live } = ctx;
  const { node } = name;
  const [found, rows, progress, answering] = await Promise.all([
    readIndexed(ctx, [name]),
    readMainRows(ctx, [node]),
    listProgress(db),
    answeringChain(ctx, name),
  ]);
  const indexed = progress.find(({ chainId }) => chainId === contracts.chainId);
  if (indexed === undefined) throw new ApiError("INDEX_NOT_READY", "The index has no block yet.");
  const ensv2 = found.get(node)?.state.ensv2;
  const entry = ensv2?.walk.entry ?? null;
  const isOfEntry = ensv2?.protocol === "ensv2" && entry !== null;
  const isBehind = isOfEntry && rows.get(node)?.registry !== entry.registry;
  const compared = await compareName({
    ...queriesThrough(db),
    setting: comparison.setting,
    reach: live.reach(),
    node,
    entry,
    isBehind,
    indexed: { number: indexed.blockNumber, timestamp: indexed.blockTimestamp },
  }).catch((error: unknown) => {
    throw toApiError(failureOrThrow(error));
  });
  const resolver = (isOfEntry ? entry.resolver : rows.get(node)?.resolver) ?? null;
  const isNumbered = ensv2?.records.kind === "byNumber";
  const missing: Record<Uncompared, boolean> = {
    layer2: answering.chainId !== contracts.chainId,
    row_of_ensv2: isBehind,
    records_of_ensv2: isNumbered,
    resolver_not_indexed: resolver !== null && !isNumbered && !comparison.setting.resolvers.has(resolver),
    more_records: compared.hasMore,
  };
  return { ...compared, uncompared: uncompared.options.filter((what) => missing[what]) };
}

export const verifyEndpoints = [verify];
