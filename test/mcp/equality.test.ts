// Also runs as: long
import fc from "fast-check";
import { keccak256, namehash, stringToBytes } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolsOf } from "../../src/api/features/mcp/tools.ts";
import { EXPIRES_WITHIN, fixedAt, type View } from "../../src/api/features/mcp/views.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { answerIn, withoutAdded } from "./brief.ts";
import type { Result } from "./clients.ts";
import { alice, bob, openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const names = [
  "alice.eth",
  "ALICE.eth",
  "sub.alice.eth",
  "grace.eth",
  "strange.eth",
  "sub.strange.eth",
  "unregistered.eth",
  "eth",
  "a..b",
  "😀.eth",
  "x y",
  `[${"ab".repeat(32)}].eth`,
];
const addresses = [alice, bob, alice.toUpperCase().replace("0X", "0x"), "0x1", "alice"];
const words = [
  "true",
  "asc",
  "full_name",
  "url",
  "%",
  "a/b",
  "0",
  "-1",
  "1.5",
  "text,addr",
  "'; drop table domains",
  "\u0000",
];

const oneOf = (...values: readonly unknown[]) => fc.constantFrom(...values);
const listOf = (values: readonly unknown[]) => fc.array(oneOf(...values), { maxLength: 6 });

/** Values for parameters by name: valid, invalid and unexpected. */
const values: Record<string, fc.Arbitrary<unknown>> = {
  name: oneOf(...names),
  address: oneOf(...addresses),
  // The empty key cannot be in a path.
  key: oneOf("url", "description", "avatar", "a b", "é"),
  names: listOf([...names, 1, null]),
  inputs: listOf([...names, ...addresses, namehash("alice.eth"), 7]),
  namehashes: listOf([namehash("alice.eth"), namehash("eth"), "0x1", "x"]),
  addresses: listOf([...addresses, 7]),
  hash: oneOf(namehash("alice.eth"), keccak256(stringToBytes("alice")), `0x${"ab".repeat(32)}`, "0x1"),
  page: oneOf(1, 2, 3, 0, -1, 1.5, 10_000_000, 10_000_001, "2", "x"),
  q: oneOf("ali", "many", "%", "_", "", "é", "\\", "'"),
  sort_by: oneOf("full_name", "expiry_timestamp", "label", "price"),
  sort_dir: oneOf("asc", "desc", "up"),
  unknown_labels: oneOf("in_order", "last", "first"),
  availability_status: oneOf("registered", "grace", "premium", "available", "unknown"),
  address_type: oneOf("effective_owner", "registrar_owner", "resolver", "stranger"),
  min_length: oneOf(0, 5, 1.5, -1, "6"),
  max_length: oneOf(0, 5, 100_000, 100_001),
  types: oneOf("text", "addr", "text,addr", "contenthash", "text,ip", ""),
};
const holders = ["registrar_owner", "wrapper_owner", "registry_owner", "resolver"];
const flags = ["search_full_name", "is_wrapped", "merged", "audit", "include_expired", "history", "partial"];

function valuesFor(name: string): fc.Arbitrary<unknown> {
  if (holders.includes(name)) return oneOf(...addresses);
  if (flags.includes(name)) return oneOf(true, false, "true", "yes");
  return values[name] ?? oneOf(...words, 5, 100, 1_800_000_000);
}

/**
 * Arguments for a view: always its path parameters, and only a few of the others, because with
 * many one would always be invalid.
 */
function argumentsOf({ operation, parameters }: View): fc.Arbitrary<Record<string, unknown>> {
  const needed = Object.keys(operation.params.shape);
  const others = Object.keys(parameters.properties).filter(
    (name) => !needed.includes(name) && name !== EXPIRES_WITHIN,
  );
  return fc
    .subarray(others, { maxLength: Math.min(3, others.length) })
    .chain((some) =>
      fc.record(Object.fromEntries([...needed, ...some].map((name) => [name, valuesFor(name)]))),
    );
}

/** The equivalent request over HTTP. */
function requestFor({ method, path, params, body }: Endpoint, given: Record<string, unknown>) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const inBody = Object.entries(given).filter(([name]) => name in body.shape);
  const query = Object.entries(given).filter(([name]) => !(name in params.shape) && !(name in body.shape));
  const asText = query.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
  const asked = `${filled}?${asText}`;
  return method === "post" ? scene.api.post(asked, Object.fromEntries(inBody)) : scene.api.get(asked);
}

async function callTool(name: string, args: Record<string, unknown>): Promise<Result> {
  const reply = await scene.api.app.request("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return JSON.parse(/^data: (.*)$/m.exec(await reply.text())?.[1] ?? "").result;
}

const views = toolsOf(operations).flatMap(({ definition, views }) =>
  views.map((view) => [`${definition.name} ${view.name ?? ""}`.trim(), definition.name, view] as const),
);

test.each(views)("%s answers any arguments as HTTP does, including its error", async (_, tool, view) => {
  let answered = 0;
  const property = fc.asyncProperty(argumentsOf(view), async (args) => {
    const { status, body } = await requestFor(view.operation, {
      ...args,
      ...fixedAt(view, Math.floor(Date.now() / 1_000)),
    });
    const { isError, content } = await callTool(
      tool,
      view.name === null ? args : { ...args, view: view.name },
    );
    expect(isError ?? false).toBe(status !== 200);
    expect(body).toMatchObject(withoutAdded(answerIn({ content })) as object);
    if (status === 200) answered++;
  });
  await fc.assert(property, { numRuns: isLong() ? 40 : 8, seed: 7 });
  expect(answered, "some arguments were right").toBeGreaterThan(0);
});
