import { buildClientSchema, getIntrospectionQuery, parse, validate, validateSchema } from "graphql";
import { describe, expect, test } from "vitest";
import {
  MAX_CONDITIONS,
  MAX_DEPTH,
  MAX_ENTITIES,
  MAX_FIELDS,
  MAX_FILTER_LEVELS,
  MAX_ROOTS,
  MAX_STATEMENTS,
  MAX_TOKENS,
} from "../../src/api/subgraph/bounds.ts";
import { planOf } from "../../src/api/subgraph/query/plan.ts";
import { introspect, subgraphSchema } from "../../src/api/subgraph/schema.ts";

const plan = (query: string, variables = {}) => planOf({ query, variables });
const creditsOf = (query: string) => plan(query).credits;

/** `{ parent { parent { … } } }` */
const nested = (levels: number): string => (levels === 0 ? "{ id }" : `{ parent ${nested(levels - 1)} }`);
const times = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join(" ");
const id = `id: "0x${"11".repeat(32)}"`;

describe("a query is refused before it is read", () => {
  test.each([
    ["levels", `{ domain(${id}) ${nested(MAX_DEPTH)} }`, `at most ${MAX_DEPTH} levels`],
    [
      "fields of Query",
      `{ ${times(MAX_ROOTS + 1, (i) => `a${i}: __typename`)} }`,
      `at most ${MAX_ROOTS} fields`,
    ],
    [
      "reads",
      `{ ${times(80, (i) => `a${i}: domain(${id}) { parent { name } }`)} }`,
      `at most ${MAX_STATEMENTS} are done`,
    ],
    [
      "entities",
      "{ domains(first: 1000) { subdomains(first: 1000) { id } } }",
      `up to 1001000 entities, by the products of \`first\`; at most ${MAX_ENTITIES}`,
    ],
    ["tokens", `{ ${times(MAX_TOKENS, () => "__typename")} }`, "tokens"],
    [
      "fragments of themselves",
      "{ domains { ...A } } fragment A on Domain { ...B } fragment B on Domain { ...A }",
      "part of itself",
    ],
    [
      "two fields under one name",
      '{ a: domain(id: "1") { id } a: domain(id: "2") { id } }',
      "as different fields",
    ],
    [
      "levels of filters",
      `{ domains(where: ${"{ and: [".repeat(MAX_FILTER_LEVELS + 1)}{ name: "a" }${"] }".repeat(MAX_FILTER_LEVELS + 1)}) { id } }`,
      `at most ${MAX_FILTER_LEVELS} levels`,
    ],
    ["a subscription", "subscription { domains { id } }", "Only queries"],
    ["no fields of an entity", "{ domains }", "have to be selected"],
    ["fields of a scalar", "{ domains { name { id } } }", "has no fields"],
    ["a fragment that is not there", "{ domains { ...A } }", "no fragment `A`"],
    ["arguments of a single entity", "{ domains { parent(first: 5) { id } } }", "has no argument `first`"],
    [
      "a wrong number",
      '{ domains(where: { createdAt_gt: "soon" }) { id } }',
      "Invalid value provided for type `BigInt`",
    ],
    [
      "bytes that are none",
      '{ domains(where: { labelhash: "0xno" }) { id } }',
      "Invalid value provided for type `Bytes`",
    ],
    ["a block without a number", "{ domains(block: { number: -1 }) { id } }", "argument `block`"],
    ["a block by two names", "{ domains(block: { number: 1, number_gte: 1 }) { id } }", "argument `block`"],
  ])("%s", (_, query, message) => {
    expect(() => plan(query)).toThrow(message);
  });

  test("fields of fragments at each place", () => {
    const fields = times(900, (i) => `a${i}: name`);
    const query = `{ ${times(6, (i) => `d${i}: domain(${id}) { ...F }`)} } fragment F on Domain { ${fields} }`;
    expect(() => plan(query)).toThrow(`at most ${MAX_FIELDS} fields`);
  });

  test("values of filters", () => {
    const values = Array.from({ length: MAX_CONDITIONS }, (_, i) => String(i));
    const query = "query ($names: [String]) { domains(where: { name_in: $names }) { id } }";
    expect(() => plan(query, { names: values })).toThrow(`at most ${MAX_CONDITIONS} conditions`);
    expect(plan(query, { names: values.slice(1) }).credits).toBe(1);
  });
});

describe("a query costs a credit for each 1,000 entities that it asks for", () => {
  test.each([
    ["{ __typename }", 1],
    ["{ _meta { block { number } } }", 1],
    ["{ domains { id owner { id } registrant { id } } }", 1],
    ["{ domains(first: 500) { parent { id } } }", 1],
    ["{ domains(first: 501) { parent { id } } }", 2],
    ["{ domains(first: 100) { subdomains(first: 1000) { id } } }", 101],
    ["{ a: domains(first: 1000) { id } b: domains(first: 1000) { id } }", 2],
    [
      "{ domainEvents(first: 1000) { ... on Transfer { domain { id } } ... on NewOwner { domain { id } } } }",
      2,
    ],
  ])("%s: %i", (query, credits) => {
    expect(creditsOf(query)).toBe(credits);
  });
});

describe("the schema", () => {
  const operation = parse(getIntrospectionQuery(), { noLocation: true });
  const [query, ...fragments] = operation.definitions;

  test("is valid, and has the subgraph's types", () => {
    expect(validateSchema(subgraphSchema())).toEqual([]);
    const types = Object.values(subgraphSchema().getTypeMap()).map(({ astNode: _, ...type }) => type.name);
    const entities = types.filter((name) => types.includes(`${name}_filter`));
    expect(entities).toHaveLength(30);
    expect(types).toEqual(
      expect.arrayContaining(["Domain_orderBy", "Block_height", "_Meta_", "BigInt", "Bytes"]),
    );
  });

  test("is given by introspection, and real queries are valid by it", () => {
    const answer = introspect(query as never, fragments);
    const schema = buildClientSchema(answer as never);
    const asked = parse(`query Q($where: Domain_filter, $by: Domain_orderBy) {
      domains(first: 10, where: $where, orderBy: $by, orderDirection: desc, block: { number_gte: 5 }) {
        name events(first: 1) { id ... on NewOwner { parentDomain { id } } } registration { cost } }
      resolvers(where: { texts_contains: ["url"], domain_: { name_starts_with_nocase: "A" }, or: [] }) { coinTypes }
      fusesSets { fuses } newTTLs { ttl } abiChangeds { contentType } _meta { block { number } } }`);
    expect(validate(schema, asked)).toEqual([]);
    expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
  });
});
