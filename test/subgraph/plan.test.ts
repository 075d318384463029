import {
  buildClientSchema,
  executeSync,
  getIntrospectionQuery,
  parse,
  validate,
  validateSchema,
} from "graphql";
import { describe, expect, test, vi } from "vitest";
import {
  MAX_BLOCKS,
  MAX_CONDITIONS,
  MAX_DEPTH,
  MAX_ENTITIES,
  MAX_FIELDS,
  MAX_FILTER_LEVELS,
  MAX_FILTER_TEXT,
  MAX_PART,
  MAX_RELATIONS_IN_ALL,
  MAX_ROOTS,
  MAX_SAME,
  MAX_SCHEMA_VALUES,
  MAX_STATEMENTS,
  MAX_TOKENS,
} from "../../src/api/features/subgraph/bounds.ts";
import { createTaker, schemaData } from "../../src/api/features/subgraph/query/introspection.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { subgraphSchema } from "../../src/api/features/subgraph/schema.ts";

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
      `more than ${MAX_STATEMENTS} reads`,
    ],
    [
      "entities",
      "{ domains(first: 1000) { subdomains(first: 1000) { id } } }",
      `up to 1001000 entities, the product of its \`first\` values; at most ${MAX_ENTITIES}`,
    ],
    ["tokens", `{ ${times(MAX_TOKENS, () => "__typename")} }`, "tokens"],
    [
      "blocks",
      `{ ${times(MAX_BLOCKS + 1, (i) => `a${i}: domains(block: { number: ${i} }) { id }`)} }`,
      `names ${MAX_BLOCKS + 1} blocks; at most ${MAX_BLOCKS}`,
    ],
    [
      "fragments of themselves",
      "{ domains { ...A } } fragment A on Domain { ...B } fragment B on Domain { ...A }",
      "contains itself",
    ],
    [
      "two fields under one name",
      '{ a: domain(id: "1") { id } a: domain(id: "2") { id } }',
      "for different fields",
    ],
    [
      "names of one field",
      `{ domains { ${times(MAX_SAME + 1, (i) => `a${i}: name`)} } }`,
      `selected under more than ${MAX_SAME} names`,
    ],
    [
      "levels of filters",
      `{ domains(where: ${"{ and: [".repeat(MAX_FILTER_LEVELS + 1)}{ name: "a" }${"] }".repeat(MAX_FILTER_LEVELS + 1)}) { id } }`,
      `at most ${MAX_FILTER_LEVELS} levels`,
    ],
    ["a subscription", "subscription { domains { id } }", "Only queries"],
    ["no fields of an entity", "{ domains }", "must be selected"],
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

  test("for the fields of fragments at each place", () => {
    const fields = times(900, () => "name");
    const query = `{ ${times(6, (i) => `d${i}: domain(${id}) { ...F }`)} } fragment F on Domain { ${fields} }`;
    expect(() => plan(query)).toThrow(`at most ${MAX_FIELDS} fields`);
  });

  test("values of filters", () => {
    const values = Array.from({ length: MAX_CONDITIONS }, (_, i) => String(i));
    const query = "query ($names: [String]) { domains(where: { name_in: $names }) { id } }";
    expect(() => plan(query, { names: values })).toThrow(`at most ${MAX_CONDITIONS} conditions`);
    expect(plan(query, { names: values.slice(1) }).credits).toBe(1);
  });

  test("characters of filter values, at each place of a variable", () => {
    const filters = (count: number): string => times(count, () => "{ name_not: $text }");
    const query = (count: number): string =>
      `query ($text: String) { domains(where: { and: [${filters(count)}] }) { id } }`;
    const text = "a".repeat(MAX_FILTER_TEXT / 500);
    expect(plan(query(500), { text }).credits).toBe(1);
    expect(() => plan(query(501), { text })).toThrow(`at most ${MAX_FILTER_TEXT} characters`);
  });

  test.each(["contains", "not_contains_nocase", "starts_with", "not_ends_with"])(
    "characters of a part: _%s",
    (suffix) => {
      const query = `query ($part: String) { domains(where: { name_${suffix}: $part }) { id } }`;
      expect(plan(query, { part: "a".repeat(MAX_PART) }).credits).toBe(1);
      expect(() => plan(query, { part: "%a".repeat(MAX_PART / 2 + 1) })).toThrow(
        `at most ${MAX_PART} characters`,
      );
    },
  );

  test("relations of all filters, at each place of a variable", () => {
    const below = { subdomains_: { events_: { blockNumber_gt: 1 } } };
    const query = (count: number): string =>
      `query ($below: X) { domains(where: { and: [${times(count, () => "$below")}] }) { id } }`;
    expect(plan(query(MAX_RELATIONS_IN_ALL / 2), { below }).credits).toBe(1);
    expect(() => plan(query(MAX_RELATIONS_IN_ALL / 2 + 1), { below })).toThrow(
      `at most ${MAX_RELATIONS_IN_ALL} relations in total`,
    );
  });

  test("filters without conditions, at each place of a variable", () => {
    const empty = Array.from({ length: 1_000 }, () => ({}));
    const query = (count: number): string =>
      `query ($empty: X) { domains(where: { and: [${times(count, () => "{ or: $empty }")}] }) { id } }`;
    expect(plan(query(1), { empty }).credits).toBe(1);
    expect(() => plan(query(2), { empty })).toThrow(`at most ${MAX_CONDITIONS} conditions`);
  });
});

test("a field selected again at many places is compared without serialising its values", () => {
  const query = `query ($text: String) { ${times(1_500, () => "...F")} }
    fragment F on Query { domains(where: { name: $text }) { id } }`;
  const written = vi.spyOn(JSON, "stringify");
  expect(plan(query, { text: '"a'.repeat(100) }).roots).toHaveLength(1);
  const fields = times(300, () => "domains(where: { name: $text }) { id }");
  expect(plan(`query ($text: String) { ${fields} }`, { text: '"a'.repeat(100) }).roots).toHaveLength(1);
  expect(written.mock.calls.length).toBeLessThan(10);
});

describe("a query costs a credit for each 1,000 entities requested", () => {
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
  /** The answer to a query of the schema alone. */
  const schemaAnswer = (query: string, variables = {}): Record<string, unknown> => {
    const take = createTaker();
    const roots = plan(query, variables).roots.flatMap((root) => (root.kind === "schema" ? [root] : []));
    return Object.fromEntries(roots.map(({ key, typeName, of }) => [key, take(schemaData(typeName), of)]));
  };

  test("is valid, and has the subgraph's types", () => {
    expect(validateSchema(subgraphSchema())).toEqual([]);
    const types = Object.values(subgraphSchema().getTypeMap()).map(({ astNode: _, ...type }) => type.name);
    const entities = types.filter((name) => types.includes(`${name}_filter`));
    expect(entities).toHaveLength(30);
    expect(types).toEqual(
      expect.arrayContaining(["Domain_orderBy", "Block_height", "_Meta_", "BigInt", "Bytes"]),
    );
  });

  test("is returned by introspection, and real queries are valid by it", () => {
    const answer = schemaAnswer(getIntrospectionQuery());
    const schema = buildClientSchema(answer as never);
    const asked = parse(`query Q($where: Domain_filter, $by: Domain_orderBy) {
      domains(first: 10, where: $where, orderBy: $by, orderDirection: desc, block: { number_gte: 5 }) {
        name events(first: 1) { id ... on NewOwner { parentDomain { id } } } registration { cost } }
      resolvers(where: { texts_contains: ["url"], domain_: { name_starts_with_nocase: "A" }, or: [] }) { coinTypes }
      fusesSets { fuses } newTTLs { ttl } abiChangeds { contentType } _meta { block { number } } }`);
    expect(validate(schema, asked)).toEqual([]);
    expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
  });

  test.each([
    ["all that tools ask for", getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true })],
    [
      "a type by its name, with aliases, fragments and directives",
      `query Q { a: __type(name: "Domain") { __typename kind ...T fields @include(if: true) { __typename name type { ...T } } }
         none: __type(name: "Nothing") { name } schema: __schema { queryType { name fields { name } } } }
       fragment T on __Type { name ofType { name ... on __Type { kind } } interfaces @skip(if: true) { name } }`,
    ],
    ["more than once over", '{ __type(name: "Domain") { fields { type { fields { type { name } } } } } }'],
  ])("%s: matches the library's answer", (_, query) => {
    const { data } = executeSync({ schema: subgraphSchema(), document: parse(query) });
    expect(schemaAnswer(query)).toEqual(JSON.parse(JSON.stringify(data)));
  });

  test.each([
    [
      "a fragment that goes round",
      "{ __schema { types { ...A } } } fragment A on __Type { fields { type { ...A } } }",
      "levels",
    ],
    [
      "types of fields of types of fields",
      `{ __schema { types { ${"inputFields { type { ".repeat(4)} name ${"} } ".repeat(4)} } } }`,
      `at most ${MAX_SCHEMA_VALUES} values`,
    ],
    [
      "one thing many times",
      `{ __schema { ${times(300, (i) => `a${i}: types { inputFields { name } }`)} } }`,
      `at most ${MAX_SCHEMA_VALUES} values`,
    ],
    ["a field that is not there", "{ __schema { constructor } }", "has no field"],
    ["no field", "{ __schema { types } }", "must be selected"],
  ])("%s: is refused", (_, query, message) => {
    expect(() => schemaAnswer(query)).toThrow(message);
  });
});
