import { z } from "@hono/zod-openapi";
import { ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import { withoutChain } from "../../names/resolution/chain.ts";
import { resolveRecords } from "../../names/resolution/resolveRecords.ts";
import { input, type ParsedName } from "../../names/schemas/input.ts";
import type { RecordsAsked } from "../../names/schemas/recordChoice.ts";
import { toRecordsPart } from "../../names/serializers/toRecords.ts";
import type { Ctx } from "../../server/http/context.ts";
import { type Endpoint, endpoint } from "../../server/http/endpoint.ts";
import { MAX_BYTES, SHOWN_SECONDS } from "./bounds.ts";

/** Waits until the chain may be asked for one more avatar. @throws where too many wait */
type TakeTurn = (signal: AbortSignal) => Promise<void>;

/** The records needed for a name's picture: its avatar, and the address that has to own it if it is a token. */
const avatarRecords: RecordsAsked = {
  types: ["text", "addr"],
  keys: ["avatar"],
  coinTypes: [ETHEREUM_COIN_TYPE],
  cleared: false,
};

/** How long a name waits for its turn to be asked from the chain. */
const WAIT_MS = 1_000;

/** `GET /avatar/{name}` as the documentation has it; the feature's route sends the bytes. */
export const avatarPicture: Endpoint = endpoint({
  method: "get",
  path: "/avatar/{name}",
  group: "Domains",
  summary: "The picture of a name",
  description: `The picture that the record \`avatar\` leads to (ENSIP-12): PNG, JPEG, GIF or WebP, from this service, so that its host learns nothing of the reader. Without one, or where it cannot be shown, a drawing (SVG) that follows from the name's Ethereum address, or from its node. Pictures come in their own size, at most ${MAX_BYTES / 1_048_576} MiB. Browsers keep one for ${SHOWN_SECONDS} seconds; \`ETag\` and \`If-None-Match\` spare its body after that.`,
  params: z.object({ name: input.name() }),
  mediaType: "image/*",
  hasOwnRoute: true,
  reply: z.string().openapi({ format: "binary" }),
  errors: ["INVALID_NAME"],
  cost: 0,
  mention: {
    tool: "get_records",
    sentence: "The picture of a name is at `/avatar/{name}` of this server.",
  },
  handle: () => {
    throw new Error("Invariant(avatars): the feature's route answers");
  },
});

/**
 * The avatar record of a name, and its Ethereum address: by the index where it knows both, else by the chain. The picture's
 * route asks it, and it has none of its own. It costs nothing, so the chain is asked for few in a second, of all callers.
 */
export const avatarRecord = (takeTurn: TakeTurn): Endpoint =>
  endpoint({
    method: "get",
    path: "/avatar/{name}",
    group: "Domains",
    summary: "The avatar record of a name",
    params: z.object({ name: input.name() }),
    reply: z.strictObject({
      node: z.string(),
      text: z.string().nullable(),
      address: z.string().nullable(),
      is_known: z.boolean(),
    }),
    errors: ["INVALID_NAME"],
    cost: 0,
    handle: async ({ name }, ctx) => {
      const indexed = await findRecords(withoutChain(ctx), name);
      const { texts, addresses, isWhole } = indexed.isWhole ? indexed : await byChain(ctx, name, takeTurn);
      return {
        node: name.node,
        text: texts.avatar || null,
        address: Object.values(addresses)[0] ?? null,
        is_known: isWhole,
      };
    },
  });

/** The records, and whether all of them could be determined. */
async function findRecords(ctx: Ctx, name: ParsedName) {
  const { records, unresolved } = toRecordsPart(
    await resolveRecords(ctx, name, avatarRecords),
    avatarRecords,
  );
  const { texts = {}, addresses = {} } = records ?? {};
  return { texts, addresses, isWhole: unresolved === undefined };
}

async function byChain(ctx: Ctx, name: ParsedName, takeTurn: TakeTurn) {
  const mayAsk =
    ctx.live.isConfigured &&
    (await takeTurn(AbortSignal.timeout(WAIT_MS)).then(
      () => true,
      () => false,
    ));
  return findRecords(mayAsk ? ctx : withoutChain(ctx), name);
}
