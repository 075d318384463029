import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Caller } from "../../server/access/access.ts";
import { type ApiError, toApiError } from "../../server/errors/errors.ts";
import { type Endpoint, nameOf } from "../../server/http/endpoint.ts";
import type { ExecuteOperation } from "../../server/http/pipeline.ts";
import { readArguments } from "./arguments.ts";
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

/** The member of a result that holds what HTTP has in headers: credits left, the rate limit and what is left of it. */
const ACCESS = "namedex/access";

/**
 * Answers a call as HTTP answers the same request: same validation, same price, same reply.
 *
 * @throws PaymentError if the call has to be paid for; every other error is a result
 */
export async function answerCall(call: Call, executeOperation: ExecuteOperation): Promise<CallToolResult> {
  const authorization = authorizationOf(call.meta);
  const caller = payingBy(authorization, call.caller);
  try {
    const given = await withAddress({ ...call, caller }, executeOperation);
    const { operation, input } = readArguments(call.tool, given);
    const checkReply = (reply: unknown) => requireDeclared(reply, operation);
    const { reply, headers } = await executeOperation({ operation, input, caller, checkReply });
    return toResult(reply, { headers, meta: call.meta });
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.code === "INTERNAL_ERROR")
      console.error(`MCP tool ${call.tool.definition.name} failed:`, thrown);
    const toPay = toPaymentError(error, authorization !== undefined);
    if (toPay) throw toPay;
    return toErrorResult(error);
  }
}

/** Over MCP a payment comes in the call itself: one HTTP request may bring several calls. */
const payingBy = (authorization: string | undefined, { address, header }: Caller): Caller => ({
  address,
  header: (name) => (name === "authorization" ? authorization : header(name)),
});

/** A tool promises its schema to clients, which refuse replies that do not match it: such a reply is never charged. */
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
    structuredContent: JSON.parse(text) as Record<string, unknown>, // Without fields that are undefined.
    ...metaOf(headers, receipt === undefined ? {} : { [RECEIPT]: receiptOf(receipt, meta) }),
  };
}

function toErrorResult({ code, message, headers }: ApiError): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify({ error: { code, message } }) }],
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
