import { expect, test } from "vitest";
import { MAX_QUERY } from "../../src/api/features/subgraph/bounds.ts";
import { type GraphqlRequest, planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { cpuOf } from "../support/cpu.ts";

/* A plan is made before a query can be refused or paid for, so no query may make planning slow. */

const times = (count: number, of: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => of(i)).join(" ");
const ids = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const filled = (start: string, part: string, end: string) =>
  `${start}${part.repeat(Math.floor((MAX_QUERY - start.length - end.length) / part.length))}${end}`;

const costly: readonly [string, GraphqlRequest][] = [
  [
    "one list in two variables, compared again and again",
    {
      query: `query q($a: X, $b: X) { domains(where: $a) { id } ${times(490, () => "domains(where: $b) { id }")} }`,
      variables: { a: { name_in: ids(990) }, b: { name_in: ids(990) } },
    },
  ],
  [
    "one long list in two fragments, which are used in turns",
    {
      query: `{ ${times(1_200, () => "...a ...b")} } ${times(2, (i) => `fragment ${"ab"[i]} on Query { domains(where: { name_in: [${times(900, () => "1")}] }) { id } }`)}`,
    },
  ],
  [
    "long conditions at many places",
    {
      query: `{ domains { ${times(1_000, () => "...f")} } } fragment f on Domain { ${times(2, () => `id @include(if: [${times(900, () => "1")}])`)} }`,
    },
  ],
  [
    "many directives at many places",
    {
      query: `{ domains { ${times(1_000, () => "...f")} } } fragment f on Domain { id ${times(1_000, () => "@x")} }`,
    },
  ],
  ["comments", { query: filled("{ domains { id } } ", "#\n", "") }],
  ["lines of a text", { query: filled('{ domains(where: { name: """', " \n", '""" }) { id } }') }],
  [
    "many reads",
    {
      query: `{ domains { ${times(10, (i) => `p${i}: parent { ...a }`)} } } ${[..."abc"]
        .map(
          (name, n) =>
            `fragment ${name} on Domain { ${times(10, (i) => `p${i}: parent { ${n < 2 ? `...${"bc"[n]}` : "id"} }`)} }`,
        )
        .join(" ")}`,
    },
  ],
];

const attempt = (request: GraphqlRequest): void => {
  try {
    planOf(request);
  } catch {}
};

test.each(costly)("%s", async (_, request) => {
  attempt({ query: "{ domains { id } }" });
  expect(await cpuOf(() => attempt(request))).toBeLessThan(100);
});

test("a query with too many characters is refused, and one of exactly as many is read", () => {
  expect(planOf({ query: "{ domains { id } }".padEnd(MAX_QUERY) }).credits).toBe(1);
  expect(() => planOf({ query: "{ domains { id } }".padEnd(MAX_QUERY + 1) })).toThrow(
    `at most ${MAX_QUERY} characters`,
  );
});

test("two fields under one name are one field if they are written alike, whatever their variables hold", () => {
  const twice = (one: string, other: string) =>
    planOf({
      query: `query q($a: Int, $b: Int) { domains(${one}) { id } domains(${other}) { name } }`,
      variables: { a: 5, b: 5 },
    });
  expect(twice("first: $a, skip: 1", "skip: 1, first: $a").roots).toHaveLength(1);
  for (const other of ["first: $b", "first: 5", 'first: "$a"']) {
    expect(() => twice("first: $a", other)).toThrow("for different fields");
  }
});
