import { expect, test } from "vitest";
import { type Document, isUnmeasured, operationsOf } from "../../bench/api/operations.ts";
import type { Samples } from "../../bench/api/samples.ts";
import { webhookEndpoints } from "../../src/api/features/webhooks/operations.ts";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import { operations } from "../support/operations.ts";

const samples: Samples = {
  names: ["alice.eth", "bob.eth"].map((name) => ({ name, node: `0xn${name}`, labelhash: `0xl${name}` })),
  addresses: ["0xa"],
  largestOwner: "0xb",
  parents: ["parent.eth"],
  parts: ["ali"],
  agents: ["7"],
  resolvers: { common: "0xc", rare: "0xd" },
  pastBlock: 5,
};

const all = [...operations, ...webhookEndpoints({} as never)];
const document = JSON.parse(JSON.stringify(openApiDocument(all))) as Document;
const measured = operationsOf(document, samples, 1_000);

test("every operation of the API is measured, each variant under its own name", () => {
  const paths = all.map(({ path }) => path).filter((path) => !isUnmeasured(path));
  expect(new Set(measured.map(({ path }) => path))).toEqual(new Set(paths));
  const names = measured.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("samples replace the parameters of a path", () => {
  const requests = measured.flatMap(({ requests }) => requests.map(({ path }) => path ?? ""));
  expect(requests.filter((path) => /[{}]|undefined/.test(path))).toEqual([]);
  for (const path of ["/domain/parent.eth/subdomains", "/lookup-labelhash/0xlbob.eth", "/agents/7"]) {
    expect(requests).toContain(path);
  }
});

test("a parameter without samples, or an unknown body, stops the benchmark", () => {
  const withPath = (path: string, method: string) => ({ paths: { [path]: { [method]: { responses: {} } } } });
  expect(() => operationsOf(withPath("/planet/{planet}", "get"), samples, 1)).toThrow("{planet}");
  expect(() => operationsOf(withPath("/planets/bulk", "post"), samples, 1)).toThrow("POST /planets/bulk");
});
