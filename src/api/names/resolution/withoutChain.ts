import type { Ctx } from "../../server/http/context.ts";
import { LiveFailure } from "../live/failure.ts";

/** The same context, in which only the index answers: what the chain would have to tell stays open. */
export const withoutChain = (ctx: Ctx): Ctx => ({ ...ctx, liveBlock: unasked });

const unasked = async (): Promise<never> => {
  throw new LiveFailure("rpc", "The chain is not asked for this.");
};
