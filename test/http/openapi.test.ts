import { Validator } from "@seriousme/openapi-schema-validator";
import { DiscoveryDocument } from "mppx/discovery";
import { describe, expect, test } from "vitest";
import { toLlms, toLlmsFull } from "../../src/api/features/pages/llms.ts";
import type { PaymentPrice } from "../../src/api/server/access/payment.ts";
import { errorCodes } from "../../src/api/server/errors/errors.ts";
import { errorsOf } from "../../src/api/server/http/endpoint.ts";
import { commonOf, lenient } from "../../src/api/server/http/ignoredParameters.ts";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import { operations } from "../support/operations.ts";

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: { example?: unknown };
};
type Operation = {
  summary: string;
  operationId: string;
  parameters?: Parameter[];
  responses: Record<string, { description: string }>;
};

const document = openApiDocument(operations);
const paths = JSON.parse(JSON.stringify(document.paths)) as Record<string, Record<string, Operation>>;
const named = operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

test("a public validator accepts the document as OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

type Field = {
  type?: string | string[];
  anyOf?: { type?: string }[];
  oneOf?: { type?: string }[];
  properties?: Record<string, Field>;
  required?: string[];
  description?: string;
};

/** Every field of every answer in the document, with its path and whether it can be absent. */
function* fieldsOf(part: unknown, where: string): Generator<[string, Field, { isOptional: boolean }]> {
  if (typeof part !== "object" || part === null) return;
  const { properties = {}, required = [] } = part as Field;
  for (const [name, field] of Object.entries(properties)) {
    if (typeof field === "object" && !Array.isArray(field)) {
      yield [`${where}.${name}`, field, { isOptional: !required.includes(name) }];
    }
  }
  for (const [name, inner] of Object.entries(part)) yield* fieldsOf(inner, `${where}.${name}`);
}

const canBeNull = ({ type, anyOf, oneOf }: Field): boolean =>
  [type].flat().includes("null") || [...(anyOf ?? []), ...(oneOf ?? [])].some((one) => one.type === "null");

test("every field that can be null or absent says when", () => {
  const described = JSON.parse(JSON.stringify(document)) as { components: object; paths: object };
  const fields = [...fieldsOf(described.components, ""), ...fieldsOf(described.paths, "")];
  const nullable = fields.filter(([, field]) => canBeNull(field));
  const unsaid = nullable.filter(
    ([, { description = "" }, { isOptional }]) =>
      !/\bnull\b/i.test(description) || (isOptional && !/\babsent\b/i.test(description)),
  );
  expect(unsaid.map(([where]) => where)).toEqual([]);
  expect(nullable.length).toBeGreaterThan(60);
});

test("it describes every declared operation", () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((m) => `${m} ${path}`),
  );
  expect(described.sort()).toEqual(named.map(([name]) => name).sort());
});

describe.each(named)("%s", (_, operation) => {
  const described = paths[operation.path]?.[operation.method];

  test("has a summary, and a description and a valid example for each parameter", () => {
    expect(described?.summary).toMatch(/^[A-Z]/);
    const query = operation.query.extend(commonOf(operation));
    const declared = [...Object.keys(operation.params.shape), ...Object.keys(query.shape)];
    expect((described?.parameters ?? []).map(({ name }) => name).sort()).toEqual(declared.sort());
    for (const { name, in: place, required, description, schema } of described?.parameters ?? []) {
      expect(description, name).toBeTruthy();
      expect(required, name).toBe(place === "path");
      const fields = place === "path" ? operation.params : query;
      const example = schema.example;
      if (place === "path") expect(example, name).toBeDefined();
      if (example !== undefined) {
        expect(fields.shape[name]?.safeParse(String(example)).success, `${name}: ${example}`).toBe(true);
      }
    }
  });

  test("lists every error that it may return under its status", () => {
    for (const code of errorsOf(operation)) {
      expect(described?.responses[errorCodes[code].status]?.description).toContain(`\`${code}\``);
    }
  });

  test("has a price, and is in the statistics if its answers are cacheable", () => {
    const isFree = operation.cost === 0;
    expect(isFree).toBe(operation.group === "Statistics" || operation.group === "System");
    expect(operation.cacheSeconds !== undefined).toBe(operation.group === "Statistics");
  });

  test("is in the texts for language models", () => {
    const title = `${operation.method.toUpperCase()} ${operation.path}`;
    expect(toLlms(document)).toContain(`\`${title}\`: ${operation.summary}`);
    expect(toLlmsFull(document)).toContain(`## ${title}\n`);
  });
});

test("the guide for language models names the TypeScript client", () => {
  expect(toLlms(document)).toContain("`namedex-client`");
});

test("operations have unique names", () => {
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test("every referenced shape is in the document", () => {
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(document.components?.schemas, name).toHaveProperty(name);
});

describe("with payments enabled", () => {
  const offer = (credits: number | null): PaymentPrice => ({
    intent: "charge",
    method: "tempo",
    currency: `0x20c0${"0".repeat(36)}`,
    amount: credits === null ? null : String(credits * 1_000),
    description: "A price",
  });
  const paid = JSON.parse(JSON.stringify(openApiDocument(operations, "metered", offer)));

  test("the document is still valid and mentions payments", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(paid));
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(DiscoveryDocument.safeParse(paid).error).toBeUndefined();
    expect(paid["x-service-info"]).toEqual({
      categories: ["data"],
      docs: { homepage: "/", apiReference: "/docs", llms: "/llms.txt" },
    });
    expect(toLlmsFull(paid)).toContain("Machine Payments Protocol");
  });

  test.each(named)("%s names its price in money, or none", (_, { method, path, cost }) => {
    const { [method]: described } = paid.paths[path];
    const amount = typeof cost === "number" ? String(cost * 1_000) : null;
    const offers = [expect.objectContaining({ amount })];
    expect(described["x-payment-info"]).toEqual(cost === 0 ? undefined : { offers });
    expect(described.responses[402]?.headers?.["WWW-Authenticate"] !== undefined).toBe(cost !== 0);
  });

  test("other documents do not mention payments", () => {
    for (const plain of [openApiDocument(operations), openApiDocument(operations, "metered")]) {
      expect(JSON.stringify(plain)).not.toMatch(/x-payment-info|x-service-info|Machine Payments/);
    }
  });
});

test("operations that other indexes also offer ignore unknown parameters unless strict", () => {
  const paths: Record<
    string,
    Record<string, { parameters?: { name: string; schema: { default?: string } }[] }>
  > = document.paths as never;
  const defaults = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map(({ parameters = [] }) => [
      path,
      parameters.find(({ name }) => name === "strict")?.schema.default,
    ]),
  );
  expect([...lenient].filter((path) => paths[path] === undefined)).toEqual([]);
  expect(
    defaults.filter(([path, strict]) => strict !== (lenient.has(path as string) ? "false" : "true")),
  ).toEqual([]);
});
