import type { Attack } from "../attack.ts";
import { type HostileStage, VICTIM } from "../stage.ts";
import { crowd } from "./crowd.ts";

/* Queries to the subgraph's query language without a key. */

type Query = { query: unknown; variables?: unknown; operationName?: unknown };

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(" ");
const nested = (levels: number, open: string, inner: string, close = "}"): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

const ask = (selection: string): Query => ({ query: `{ ${selection} }` });
const where = (filter: string, type = "domains"): Query => ask(`${type}(where: { ${filter} }) { id }`);

/** Each exceeds a limit, most by far. */
const large: readonly Query[] = [
  ask(`domains { ${nested(400, "parent { ", "id")} }`),
  ask(nested(60, "domains(first: 1000) { subdomains(first: 1000) { ", "id", "} }")),
  ask("domains(first: 1000) { subdomains(first: 1000) { subdomains(first: 1000) { id } } }"),
  ask(repeat(2_000, (i) => `a${i}: domains { id }`)),
  ask(`domains { ${repeat(8_000, (i) => `a${i}: name`)} }`),
  ask("{".repeat(200_000)),
  // Each fragment twice uses the next one: a thousand million fields.
  {
    query: `{ domains { ...f0 } } ${repeat(30, (i) => `fragment f${i} on Domain { ${repeat(2, (n) => `x${n}_${i}: parent { ...f${i + 1} }`)} }`)} fragment f30 on Domain { id }`,
  },
  { query: "{ domains { ...a } } fragment a on Domain { ...b } fragment b on Domain { ...a }" },
  where(nested(40, "and: [{ ", 'name: "a"', "}]")),
  where(nested(40, "parent_: { ", 'name: "a"')),
  where(`or: [${repeat(3_000, (i) => `{ name: "${i}" }`)}]`),
  {
    query: "query q($ids: [ID!]) { domains(where: { id_in: $ids }) { id } }",
    variables: { ids: Array.from({ length: 20_000 }, (_, i) => `0x${i}`) },
  },
  // One variable at many places: a megabyte each time.
  {
    query: `query q($t: String) { domains(where: { and: [${repeat(800, () => "{ name_not: $t }")}] }) { id } }`,
    variables: { t: "a".repeat(900_000) },
  },
  {
    query: `query q($e: X) { domains(where: { and: [${repeat(800, () => "{ or: $e }")}] }) { id } }`,
    variables: { e: Array.from({ length: 1_900 }, () => ({})) },
  },
  {
    query: `query q($t: String) { ${repeat(2_000, () => "...f")} } fragment f on Query { domains(where: { name: $t }) { id } }`,
    variables: { t: '"a'.repeat(300_000) },
  },
  // Planning it takes minutes.
  {
    query: `query q($c: X) { domains(where: { and: [${repeat(300, () => "$c")}] }) { id } }`,
    variables: { c: { subdomains_: { events_: { domain_: { name_not: "1" } } } } },
  },
  // Comparing one long text with it takes seconds.
  where(`value_contains: "${"a".repeat(60_000)}b"`, "textChangeds"),
  where(`name_not_contains_nocase: "${"%a".repeat(60_000)}"`),
  ask(`domains { ${repeat(1_000, (i) => `a${i}: name`)} }`),
  ask("domains(first: 1001) { id }"),
  ask(repeat(50, (i) => `a${i}: domains(block: { number: ${i} }) { id }`)),
  ask("domains(skip: 5001) { id }"),
  ask(repeat(300, (i) => `t${i}: __type(name: "Domain") { fields { type { fields { name } } } }`)),
  ask(`__schema { types { fields { type { ${nested(100, "ofType { ", "name")} } } } }`),
];

/** Each is within the limits, and as slow as these allow. */
const slow: readonly Query[] = [
  // Eighty fields of each of two thousand related entities.
  {
    query: `{ domains { ${["registration", "wrappedDomain"].map((name) => repeat(10, (i) => `${name}${i}: ${name} { domain { ...f } }`)).join(" ")} } }
      fragment f on Domain { ${["id", "name", "labelName", "labelhash", "ttl", "isMigrated", "createdAt", "expiryDate"].map((name) => repeat(10, (i) => `${name}${i}: ${name}`)).join(" ")} }`,
  },
  ask(
    'domains(first: 1000, skip: 5000, orderBy: labelName, where: { name_contains_nocase: "e", labelName_not_ends_with_nocase: "zz" }) { id events(first: 10) { id } }',
  ),
  where('resolver_: { domain_: { parent_: { name_contains: "e" } } }'),
  where('domain_: { owner_: { id_contains: "a" } }', "registrations"),
  ask("textChangeds(first: 1000, orderBy: key, skip: 5000) { id resolver { domain { name owner { id } } } }"),
  ask(repeat(50, (i) => `a${i}: domains(first: 100, orderBy: registration__expiryDate, skip: ${i}) { id }`)),
  // No page is full, whichever way the names are searched.
  ask(
    repeat(
      50,
      (i) =>
        `a${i}: domains(first: 200, orderBy: name, orderDirection: desc, where: { name_contains_nocase: "eth", createdAt_lt: ${i} }) { id }`,
    ),
  ),
];

const ids = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);

/** Planned and compared again and again, for nothing or for an empty answer. */
const planned: readonly Query[] = [
  {
    query: `query q($a: X, $b: X) { domains(where: $a) { id } ${repeat(490, () => "domains(where: $b) { id }")} }`,
    variables: { a: { name_in: ids(990) }, b: { name_in: ids(990) } },
  },
  {
    query: `{ ${repeat(1_200, () => "...a ...b")} } ${repeat(2, (i) => `fragment ${"ab"[i]} on Query { domains(where: { name_in: [${repeat(900, () => "1")}] }) { id } }`)}`,
  },
  ask(repeat(1_000, () => "domains(first: 1) { id name }")),
];

/** Small to read, but large to write: the name of a field is written for each entity. */
const longAnswers: readonly Query[] = [
  ask(`domains(first: 1000) { ${"a".repeat(140_000)}: id }`),
  ask(`domains(first: 1000) { parent { ${"a".repeat(140_000)}: id } }`),
];

/** At past blocks and over all events, as many reads as the limits allow. */
const past: readonly Query[] = [
  ask(repeat(10, (i) => `a${i}: domains(first: 1000, block: { number: ${i + 1} }) { owner { id } }`)),
  ask(
    repeat(
      40,
      (i) =>
        `a${i}: domains(block: { number: 1 }, where: { subdomains_: { owner_not: "${i}" } }) { subdomains { name } }`,
    ),
  ),
  ask(repeat(40, (i) => `a${i}: domainEvents(first: 1000, skip: 5000, where: { id_gt: "${i}" }) { id }`)),
  ask('resolverEvents(first: 1000, skip: 5000, where: { or: [{ id_gt: "" }, { id_lt: "~" }] }) { id }'),
  ask('domainEvents(first: 1000, orderBy: id, orderDirection: desc, where: { id_lt: "\\u0000" }) { id }'),
];

/** Values that no program sends. */
const odd: readonly Query[] = [
  ...[
    "\0",
    "\ud800",
    "%",
    "\\",
    "'; select 1; --",
    "\u202e",
    "😀".repeat(10_000),
    "a".repeat(100_000),
  ].flatMap((text) => [
    { query: "query q($t: String) { domains(where: { name_contains: $t }) { id } }", variables: { t: text } },
    { query: "query q($t: ID!) { domain(id: $t) { id } }", variables: { t: text } },
    ...["name", "id"].map((by) => ({
      query: `query q($t: String) { domains(orderBy: ${by}, where: { name_contains: "name", ${by}_gt: $t }) { id } }`,
      variables: { t: text },
    })),
    { query: "query q($t: Bytes) { domains(where: { labelhash: $t }) { id } }", variables: { t: text } },
  ]),
  ...[
    "1e400",
    "-1",
    "9".repeat(400),
    "0x",
    "null",
    "{}",
    "[]",
    '[[["a"]]]',
    "$nothing",
    "NAME",
    "true",
  ].flatMap((value) => [
    where(`createdAt_gt: ${value}`),
    where(`id: ${value}`),
    where(`name_in: ${value}`),
    ask(`domains(first: ${value}) { id }`),
    ask(`domains(orderBy: ${value}) { id }`),
    ask(`domains(block: { number: ${value} }) { id }`),
    ask(`domains(block: { hash: ${value} }) { id }`),
  ]),
  {
    query: "query q($w: Domain_filter) { domains(where: $w) { id } }",
    variables: { w: { __proto__: { name: "a" } } },
  },
  {
    query: "query q($w: Domain_filter) { domains(where: $w) { id } }",
    variables: { w: JSON.parse(nested(2_000, '{"and":[', "{}", "]}")) },
  },
  { query: `{ ${"#".repeat(500_000)}\n_meta { deployment } }` },
  { query: "{ domains { id } }", variables: "text", operationName: 5 },
  { query: "query a { domains { id } } query b { domains { id } }" },
  { query: "{ domains { id } }", operationName: "nothing" },
  { query: "mutation { domains { id } }" },
  { query: "subscription { domains { id } }" },
  { query: "fragment a on Domain { id }" },
  { query: "{ constructor __proto__ toString }" },
  ask("domains { constructor }"),
  { query: "" },
  { query: "\0" },
  { query: ["{ domains { id } }"] },
  { query: null },
];

const bodies = [
  "",
  "null",
  "[]",
  "0",
  "\0",
  `[${"[".repeat(50_000)}`,
  `{"query":"${"a".repeat(2_000_000)}"}`,
];

const MANY_AT_ONCE = 40;

type Answer = { data?: unknown; errors?: { message?: unknown }[]; error?: { code: string } };

/** @throws if an answer is not data, an error in GraphQL's form, or a refusal of the whole request */
async function send({ stack }: HostileStage, body: string): Promise<{ isRefused: boolean }> {
  const reply = await fetch(`${stack.url}/subgraph`, { method: "POST", body });
  const text = await reply.text();
  const { data, errors, error } = JSON.parse(text) as Answer;
  const isError = typeof errors?.[0]?.message === "string" && data === undefined;
  const isTooLarge = error?.code === "LIMIT_EXCEEDED" && [400, 413].includes(reply.status);
  const isRight = reply.status === 200 ? isError || data !== undefined : isTooLarge || reply.status === 429;
  if (!isRight) throw new Error(`${body.slice(0, 200)}: ${reply.status} ${text.slice(0, 500)}`);
  return { isRefused: isError || isTooLarge };
}

const each = (name: string, queries: readonly Query[], expected?: "refused"): Attack => ({
  name,
  run: async (stage) => {
    for (const query of queries) {
      const { isRefused } = await send(stage, JSON.stringify(query));
      if (expected === "refused" && !isRefused)
        throw new Error(`${JSON.stringify(query).slice(0, 200)} is answered`);
    }
    return { names: [VICTIM] };
  },
});

const asked = (queries: readonly Query[], count: number): [string, RequestInit][] =>
  Array.from({ length: count }, (_, i) => [
    "/subgraph",
    { method: "POST", body: JSON.stringify(queries[i % queries.length]) },
  ]);

export const attacksBySubgraph: readonly Attack[] = [
  each("queries of the subgraph that are larger than any bound", large, "refused"),
  each("queries of the subgraph as slow as the bounds allow", slow),
  each("queries of the subgraph of past blocks, and of all events", past),
  each("queries of the subgraph with values that no program sends", odd),
  {
    name: "bodies that are no query of the subgraph",
    run: async (stage) => {
      for (const body of bodies) await send(stage, body);
      return { names: [VICTIM] };
    },
  },
  crowd("queries of the subgraph that take long to plan", {
    requests: asked(planned, 100),
    atOnce: 4,
    statuses: [200, 429],
  }),
  crowd("answers of the subgraph that are too large", {
    requests: asked(longAnswers, 100),
    atOnce: 4,
    statuses: [200, 429],
  }),
  crowd("slow queries of the subgraph", {
    requests: asked(slow, 100),
    atOnce: MANY_AT_ONCE,
    statuses: [200, 429],
  }),
];
