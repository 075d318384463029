import type { Access, Caller } from "../access/access.ts";
import { ApiError } from "../schemas/errors.ts";
import type { Ctx } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";

/** Makes the context of a request; throws INDEX_NOT_READY if the operation needs an index that may not answer. */
export type MakeCtx = (operation: Endpoint) => Promise<Ctx>;

/** What answers operations, whichever way they are asked: over HTTP or as tools. */
export type OperationDeps = { makeCtx: MakeCtx; access: Access };

/** An answer, and the headers that access adds to it. */
export type OperationResult = { reply: unknown; headers: Record<string, string> };

/**
 * Answers one operation: admit, handle, charge, in this order, so that nobody pays for an answer they do not get.
 *
 * @param input checked by the operation's own declaration
 * @throws ApiError with the headers that access adds to it, or whatever the operation threw
 */
export async function executeOperation(
  operation: Endpoint,
  { input, caller }: { input: Record<string, unknown>; caller: Caller },
  { makeCtx, access }: OperationDeps,
): Promise<OperationResult> {
  const ctx = await makeCtx(operation);
  const credits = typeof operation.cost === "number" ? operation.cost : operation.cost(input);
  if (credits === 0) return { reply: await operation.handle(input, ctx, caller), headers: {} };
  const admission = await access.admit(caller, { credits, operation: nameOf(operation) });
  try {
    const reply = await operation.handle(input, ctx, caller);
    return { reply, headers: { ...admission.headers, ...(await admission.settle()) } };
  } catch (thrown) {
    if (thrown instanceof ApiError) thrown.addHeaders(admission.headers);
    throw thrown;
  }
}

/** `GET /whois/{name}` */
export const nameOf = ({ method, path }: Pick<Endpoint, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;
