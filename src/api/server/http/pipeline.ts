import type { Access, Admission, Caller } from "../access/access.ts";
import { ApiError } from "../errors/errors.ts";
import type { ConsistentRead } from "../indexState/consistentRead.ts";
import { retryOnLock } from "../indexState/retryOnLock.ts";
import { addAsOf, hasAsOf, noteLiveBlock } from "./asOf.ts";
import type { Ctx } from "./context.ts";
import { createPageReader, type ReadPage } from "./deepPages.ts";
import { type Endpoint, nameOf } from "./endpoint.ts";
import { writeReply } from "./writeReply.ts";

/** A request for one operation, over HTTP or as a tool. */
export type OperationCall = {
  operation: Endpoint;
  /** Already checked against the operation's declaration. */
  input: Record<string, unknown>;
  caller: Caller;
  /** Throws if this reply must not be given. MCP refuses replies that do not match the tool's schema. */
  checkReply?: (reply: unknown) => void;
};

/** The reply as it is sent, and the headers that access adds to it. */
export type OperationResult = { reply: string; headers: Record<string, string> };

/** @throws ApiError with the headers that access adds to it, or what the operation threw */
export type ExecuteOperation = (call: OperationCall) => Promise<OperationResult>;

/** What the steps of the pipeline work with. */
export type PipelineParts = {
  createContext: (caller: Caller, operation: Endpoint) => Promise<Ctx>;
  /** @throws ApiError INDEX_NOT_READY */
  requireReadyIndex: () => Promise<void>;
  access: Access;
  /** Counts the outcome of an operation, and names its slow queries. */
  observe: <Reply>(operation: string, run: () => Promise<Reply>) => Promise<Reply>;
  readConsistently: ConsistentRead;
};

/**
 * Everything that stands around an operation, outermost first, for HTTP and MCP alike:
 *
 * 1. Readiness: an index that is incomplete or late does not answer.
 * 2. Admission: who calls has a key, pays, or has free requests left. What pays is held before the work, charged after
 *    the reply, and given back if the call fails. An operation whose price takes work to know is planned here: it is
 *    admitted for its least price, and then for the whole one.
 * 3. Observation: the outcome is counted.
 * 4. Writing: the reply becomes JSON, or is a text already, if it is not too large.
 * 5. Check of the reply, where the protocol demands one.
 * 6. Deep pages: one that lies too deep is refused, and few deep ones are read at once.
 * 7. Consistent read: all queries of the reply see the index as of one position, which the reply names.
 * 8. The operation itself.
 */
export function createPipeline(parts: PipelineParts): ExecuteOperation {
  const readPage = createPageReader();
  return (call) =>
    whenReady(parts, call, (ctx) =>
      charged(parts, call, (planned) =>
        observed(parts, planned, () =>
          written(planned, () =>
            checked(planned, () =>
              paged(readPage, planned, () =>
                consistently(parts, planned, ctx, (readCtx) =>
                  planned.operation.handle(planned.input, readCtx, planned.caller),
                ),
              ),
            ),
          ),
        ),
      ),
    );
}

type Reply = Promise<unknown>;

/** How old a reply is that may have been taken before its request. */
const ageOf = ({ takenAt }: Endpoint, reply: string, { now }: Ctx): Record<string, string> =>
  takenAt === undefined ? {} : { Age: String(Math.max(0, now - takenAt(reply))) };

async function whenReady(
  { createContext, requireReadyIndex }: PipelineParts,
  { operation, caller }: OperationCall,
  next: (ctx: Ctx) => Promise<OperationResult>,
): Promise<OperationResult> {
  const ctx = await retryOnLock(async () => {
    if (operation.index === undefined) await requireReadyIndex();
    return createContext(caller, operation);
  });
  const { reply, headers } = await next(ctx);
  return { reply, headers: { ...headers, ...ageOf(operation, reply, ctx) } };
}

async function charged(
  { access }: PipelineParts,
  call: OperationCall,
  next: (planned: OperationCall) => Promise<string>,
): Promise<OperationResult> {
  const { operation, input, caller } = call;
  const credits = typeof operation.cost === "number" ? operation.cost : operation.cost(input);
  if (credits === 0) return { reply: await next(call), headers: {} };
  const { plan } = operation;
  const price = { credits, operation: nameOf(operation), isPart: plan !== undefined };
  const admission = await access.admit(caller, price);
  const answer = (admitted: Admission, planned: OperationCall) =>
    paidBy(admitted, async () => {
      const reply = await next(planned);
      const isFree = operation.isFree?.(reply) ?? false;
      return { reply, headers: await (isFree ? admitted.refund() : admitted.settle()) };
    });
  if (plan === undefined) return answer(admission, call);
  const planned = await paidBy(admission, () => plan(input));
  return answer(await admission.raise(planned.credits), { ...call, input: planned.input });
}

async function paidBy<Result>(admission: Admission, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const isCharged = thrown instanceof ApiError && thrown.isCharged;
    const headers = await (isCharged ? admission.settle() : admission.refund());
    if (thrown instanceof ApiError) thrown.addHeaders(headers);
    throw thrown;
  }
}

const written = async ({ operation }: OperationCall, next: () => Reply): Promise<string> =>
  writeReply(operation, await next());

async function checked({ checkReply }: OperationCall, next: () => Reply): Reply {
  const reply = await next();
  checkReply?.(reply);
  return reply;
}

const observed = (
  { observe }: PipelineParts,
  { operation }: OperationCall,
  next: () => Promise<string>,
): Promise<string> => observe(nameOf(operation), next);

const paged = (readPage: ReadPage, { input }: OperationCall, next: () => Reply): Reply =>
  readPage(input, next);

async function consistently(
  { readConsistently }: PipelineParts,
  { operation }: OperationCall,
  ctx: Ctx,
  next: (ctx: Ctx) => Reply,
): Reply {
  if (operation.index === "not read") return next(ctx);
  if (operation.index === "any state") return retryOnLock(() => next(ctx));
  const { result, position } = await readConsistently(async (db) => {
    const noted = noteLiveBlock({ ...ctx, db });
    return { reply: await next(noted.ctx), live: noted.liveBlock() };
  });
  if (!hasAsOf(operation)) return result.reply;
  return addAsOf(result.reply, { position, live: result.live, chainId: ctx.contracts?.chainId });
}
