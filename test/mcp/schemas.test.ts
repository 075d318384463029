import { readFileSync } from "node:fs";
import { Ajv, addFormats } from "@modelcontextprotocol/server/validators/ajv";
import { describe, expect, test } from "vitest";
import { readArguments } from "../../src/api/features/mcp/arguments.ts";
import { describePrice } from "../../src/api/features/mcp/descriptions.ts";
import type { Schema } from "../../src/api/features/mcp/schemas.ts";
import { toolsOf } from "../../src/api/features/mcp/tools.ts";
import { nameOf } from "../../src/api/server/http/endpoint.ts";
import { exampleOf, itemsIn } from "../support/examples.ts";
import { operations } from "../support/operations.ts";
import { pairs } from "./questions.ts";

const tools = toolsOf(operations).map((tool) => [tool.definition.name, tool] as const);

/** A validator that rejects unknown keywords, and redundant or pointless schemas. */
function strict() {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, validateSchema: false });
  addFormats(ajv);
  return ajv;
}

describe.each(tools)("%s", (name, tool) => {
  const { inputSchema, description } = tool.definition;
  const fields = inputSchema.properties as Record<string, Schema>;

  test("has schemas that a strict validator accepts", () => {
    expect(() => strict().compile(inputSchema)).not.toThrow();
  });

  test("takes one flat object: no alternatives, no references, each field with a type and a description", () => {
    expect(JSON.stringify(inputSchema)).not.toMatch(/"(anyOf|oneOf|allOf|\$ref|not|if)"/);
    for (const [field, schema] of Object.entries(fields)) {
      expect(schema.type, field).toMatch(/^(string|integer|boolean|array)$/);
      expect(schema.description, field).toBeTruthy();
    }
  });

  test("accepts the examples of its fields and the tests' questions by its schema", () => {
    const isValid = strict().compile(inputSchema);
    const examples = tool.views.flatMap(({ parameters }) =>
      Object.entries(parameters.properties).flatMap(([field, { examples: some = [] }]) =>
        (some as unknown[]).map((example) => [field, example] as const),
      ),
    );
    for (const [field, example] of examples) {
      isValid({ [field]: example });
      const faults = (isValid.errors ?? []).filter(({ keyword }) => keyword !== "required");
      expect(faults, `${field}: ${JSON.stringify(example)}`).toEqual([]);
    }
    const own = pairs.filter(([asked, args]) => asked === name && args.view !== null && args.page !== "2");
    for (const [, args] of own) expect(isValid(args), JSON.stringify(args)).toBe(true);
  });

  test("states its views and its price", () => {
    for (const { name: view, operation, parameters } of tool.views) {
      expect(description).toContain(operation.summary);
      expect(description).toContain(describePrice(operation));
      if (view !== null) expect(description).toContain(`view \`${view}\``);
      for (const parameter of Object.keys(parameters.properties)) expect(fields).toHaveProperty(parameter);
    }
    expect(description.length).toBeLessThan(1_200);
  });

  test("has a default only if all views agree on it", () => {
    for (const [field, schema] of Object.entries(fields).filter(
      ([, { default: value }]) => value !== undefined,
    )) {
      const having = tool.views.filter(({ parameters }) => field in parameters.properties);
      const defaults = having.map(({ parameters }) => parameters.properties[field]?.default);
      expect(new Set([...defaults, schema.default]).size, field).toBe(1);
    }
  });
});

test("the list of all tools takes at most 24 KB of an agent's context", () => {
  const list = JSON.stringify({ tools: tools.map(([, { definition }]) => definition) });
  expect(list.length).toBeLessThanOrEqual(24_000);
});

test("a price by item is what the text says: one credit for each", () => {
  const byItem = operations.filter(({ cost }) => typeof cost === "function");
  expect(byItem.length).toBeGreaterThan(0);
  for (const operation of byItem) {
    const { asked } = exampleOf(operation);
    const items = Object.values(itemsIn(asked)).flat().length;
    expect(items, nameOf(operation)).toBeGreaterThan(0);
    expect((operation.cost as (input: object) => number)(asked), nameOf(operation)).toBe(items);
  }
});

test("the page for agents names every tool and view, and its settings are JSON", () => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => /^\| `/.test(line));
  expect(rows.map((row) => row.split("`")[1])).toEqual(tools.map(([name]) => name));
  for (const [i, [name, { views }]] of tools.entries()) {
    const told = [...(rows[i]?.split("|")[3] ?? "").matchAll(/`(\w+)`/g)].map(([, view]) => view);
    expect(told, name).toEqual(views.flatMap(({ name: view }) => view ?? []));
  }
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) => JSON.parse(json));
  expect(blocks.length).toBeGreaterThan(3);
});

test("the README counts the tools", () => {
  expect(readFileSync(new URL("../../README.md", import.meta.url), "utf8")).toContain(
    `${tools.length} MCP tools`,
  );
});

test("names of objects' own members are not parameters", () => {
  const whois = tools.find(([name]) => name === "whois")?.[1];
  for (const name of ["__proto__", "constructor", "toString"]) {
    const given = JSON.parse(`{"name":"alice.eth","${name}":1}`);
    expect(() => readArguments(whois as never, given, 0), name).toThrow("is no parameter of this tool");
  }
});

test.each([
  ["get_price", { name: "alice.eth" }, "years", [1, 5]],
  ["get_price", { names: ["alice.eth"] }, "years", [1]],
  ["get_records", { name: "alice.eth" }, "types", ["text", "addr"]],
  ["search_domains", {}, "chain", ["mainnet"]],
])("%s %j takes %s as an array, too", (name, given, list, items) => {
  const tool = tools.find(([one]) => one === name)?.[1] as never;
  const [asArray, asText] = [items, items.join(",")].map((value) => ({ ...given, [list]: value }));
  expect(readArguments(tool, asArray ?? {}, 0)).toEqual(readArguments(tool, asText ?? {}, 0));
});
