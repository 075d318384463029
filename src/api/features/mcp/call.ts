import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Caller } from "../../server/access/access.ts";
import { type ApiError, toApiError } from "../../server/errors/errors.ts";
import { type Endpoint, nameOf } from "../../server/http/endpoint.ts";
import type { ExecuteOperation } from "../../server/http/pipeline.ts";
import { readArguments } from "./arguments.ts";
import { type Chains, hintFor, inBrief } from "./brief.ts";
import { withAddress } from "./named.ts";
import { authorizationOf, RECEIPT, receiptOf, toPaymentError } from "./payment.ts";
import type { Tool } from "./tools.ts";

/** One call of a tool, as the protocol brings it. */
export type Call = {
  tool: Tool;
  given: Record<string, unknown>;
  /** `_meta` of the request: where a payment comes. */
  meta: Record<string, unknown> | undefined;
  caller: Caller;
};

/** The member of a result with the values of HTTP's access headers: credits left, and the rate limit. */
const ACCESS = "namedex/access";

/** What answers calls. */
export type Answering = { executeOperation: ExecuteOperation; chains: Chains };

/**
 * Answers a call as HTTP answers the same request: same validation, same price, the same reply in brief, once, as text.
 * Structured content would repeat it, because clients give their models the text.
 *
 * @throws PaymentError if the call has to be paid for; every other error is a result
 */
export async function answerCall(
  call: Call,
  { executeOperation, chains }: Answering,
): Promise<CallToolResult> {
  const authorization = authorizationOf(call.meta);
  const caller = payingBy(authorization, call.caller);
  try {
    const given = await withAddress({ ...call, caller }, executeOperation);
    const now = Math.floor(Date.now() / 1_000);
    const { operation, input } = readArguments(call.tool, given, now);
    const checkReply = (reply: unknown) => requireDeclared(reply, operation);
    const { reply, headers } = await executeOperation({ operation, input, caller, checkReply });
    const answer = JSON.parse(reply) as Record<string, unknown>;
    const time = call.tool.tellsNow ? { now, now_date: new Date(now * 1_000).toISOString() } : {};
    const hint = hintFor(call.given, answer);
    const text = JSON.stringify({ ...time, ...inBrief(answer, chains), ...(hint !== null && { hint }) });
    return toResult(text, { headers, meta: call.meta });
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.code === "INTERNAL_ERROR")
      console.error(`MCP tool ${call.tool.definition.name} failed:`, thrown);
    const toPay = toPaymentError(error, authorization !== undefined);
    if (toPay) throw toPay;
    return toErrorResult(error, call.given);
  }
}

/** Over MCP a payment comes in the call itself: one HTTP request may bring several calls. */
const payingBy = (authorization: string | undefined, { address, header }: Caller): Caller => ({
  address,
  header: (name) => (name === "authorization" ? authorization : header(name)),
});

/** What a model reads is what the declaration allows. Any other reply is an error, and never charged. */
function requireDeclared(reply: unknown, operation: Endpoint): void {
  const checked = operation.reply.safeParse(reply);
  if (!checked.success)
    throw new Error(`${nameOf(operation)} broke its declaration: ${checked.error.message}`);
}

type Paid = { headers: Record<string, string>; meta: Call["meta"] };

function toResult(text: string, { headers, meta }: Paid): CallToolResult {
  const receipt = headers["Payment-Receipt"];
  return {
    content: [{ type: "text", text }],
    ...metaOf(headers, receipt === undefined ? {} : { [RECEIPT]: receiptOf(receipt, meta) }),
  };
}

/** Errors of arguments that a bare label may be the cause of. */
const ofNames: readonly string[] = ["INVALID_NAME", "INVALID_ADDRESS"];

function toErrorResult({ code, message, headers }: ApiError, given: Call["given"]): CallToolResult {
  const answer = { error: { code, message } };
  const hint = ofNames.includes(code) ? hintFor(given, answer) : null;
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify({ ...answer, ...(hint !== null && { hint }) }) }],
    ...metaOf(headers, {}),
  };
}

/** Headers that mean nothing over MCP, or have another form there. */
const forHttpAlone = ["www-authenticate", "payment-receipt", "cache-control"];

function metaOf(headers: Record<string, string>, more: Record<string, unknown>) {
  const shown = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !forHttpAlone.includes(name));
  const meta = { ...(shown.length > 0 && { [ACCESS]: Object.fromEntries(shown) }), ...more };
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}
