import type { PaymentPrice } from "../access/payment.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OpenApiDocument } from "./routes.ts";

/** The price of an operation in money; `credits` is null where they depend on the request. */
export type PriceOf = (credits: number | null) => PaymentPrice;

const text = { type: "string" } as const;

/** A 402 as the payment protocol defines it: the members of RFC 9457 beside our own error. */
const problem = {
  type: "object",
  properties: {
    type: text,
    title: text,
    detail: text,
    challengeId: text,
    hint: text,
    status: { type: "integer" },
    error: { $ref: "#/components/schemas/Error/properties/error" },
  },
  required: ["type", "title", "status", "detail", "challengeId", "error"],
} as const;

const payments =
  "Without a key, single requests can be paid for (Machine Payments Protocol): 402 names the price in `WWW-Authenticate: Payment`, and a failed request costs nothing.";

const header = (description: string) => ({ description, schema: text });

/** What the responses of a priced operation have in addition where payments are accepted. */
const receipts = {
  200: { headers: { "Payment-Receipt": header("Receipt of the payment, if this request was paid for.") } },
  402: {
    headers: {
      "WWW-Authenticate": header("`Payment …`: the price of this request and how to pay it."),
    },
    content: { "application/problem+json": { schema: problem } },
  },
};

/**
 * Adds to the document what each operation costs in money; payers find services by it (Payment Discovery of the Machine
 * Payments Protocol). Only a challenge is binding: it names the price of one request.
 */
export function withPrices(
  document: OpenApiDocument,
  operations: readonly Endpoint[],
  offer: PriceOf,
): OpenApiDocument {
  for (const { method, path, cost } of operations.filter(({ cost }) => cost !== 0)) {
    const operation = document.paths?.[path]?.[method];
    if (!operation) continue;
    Object.assign(operation, {
      "x-payment-info": { offers: [offer(typeof cost === "number" ? cost : null)] },
    });
    for (const [status, more] of Object.entries(receipts))
      Object.assign(operation.responses?.[status] ?? {}, more);
  }
  document.info.description += `\n- **Payments.** ${payments}`;
  const service = { categories: ["data"], docs: { homepage: "/", apiReference: "/docs", llms: "/llms.txt" } };
  return Object.assign(document, { "x-service-info": service });
}
