import { expect, test } from "vitest";
import { MAX_AT_ONCE, MAX_WAITING } from "../../src/api/features/subgraph/bounds.ts";
import { subgraphRoutes } from "../../src/api/features/subgraph/routes.ts";
import { type Access, openAccess } from "../../src/api/server/access/access.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import { createPipeline } from "../../src/api/server/http/pipeline.ts";

/* Planning a subgraph query is work: it is subject to admission, and takes a place as reading does. */

type Admit = Access["admit"];

/** The subgraph on a missing database: queries are planned, but not read. */
function openSubgraph(admit: Admit = openAccess.admit) {
  const executeOperation = createPipeline({
    createContext: async () => ({}) as never,
    requireReadyIndex: async () => {},
    access: { ...openAccess, admit },
    observe: (_, run) => run(),
    readConsistently: () => Promise.reject(new Error("a query is read")),
  });
  const callerOf = () => ({ address: "192.0.2.1", header: () => undefined });
  const app = subgraphRoutes({ executeOperation, callerOf }, () => "one caller");
  return async (query: string) => {
    const reply = await app.request("/subgraph", { method: "POST", body: JSON.stringify({ query }) });
    const { errors } = (await reply.json()) as { errors: [{ message: string }] };
    return { status: reply.status, message: errors[0].message };
  };
}

const refusing: Admit = async () => {
  throw new ApiError("PAYMENT_REQUIRED", "No credits.");
};

test.each([
  ["that cannot be read", "{"],
  ["of the same fields again and again", `{ ${"domains { id name } ".repeat(1_000)} }`],
  ["of too many levels", `{ domains { ${"parent { ".repeat(400)} id ${"}".repeat(400)} } }`],
])("a query %s is not planned before it is admitted", async (_, query) => {
  expect(await openSubgraph(refusing)(query)).toEqual({ status: 402, message: "No credits." });
  expect((await openSubgraph()(query)).message).not.toBe("No credits.");
});

test("one caller plans only as many concurrent queries as allowed, and gives every credit back", async () => {
  let held = 0;
  const admit: Admit = async (...given) => {
    const admission = await openAccess.admit(...given);
    held++;
    return {
      ...admission,
      refund: async () => {
        held--;
        return admission.refund();
      },
    };
  };
  const ask = openSubgraph(admit);
  const within = MAX_AT_ONCE.each + MAX_WAITING.each;
  const replies = await Promise.all(Array.from({ length: within + 10 }, () => ask("{")));
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  expect([count(200), count(429)]).toEqual([within, 10]);
  expect(held).toBe(0);
});
