import { domain, label } from "ponder:schema";
import { namehash } from "viem";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { countNames } from "../counts/exactCounters.ts";
import { openApi, type TestApi, useApi } from "./api.ts";
import { contracts as withEnsv2 } from "./ensv2.ts";
import {
  account,
  alice,
  answerable,
  CHAIN_ID,
  domainRow,
  inDays,
  NOW,
  ownedBy,
  registeredRow,
  STATIC_RESOLVER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

/*
 * Sending a statement is the API's largest cost per answer, so rows of names come with everything
 * that domain records show. The numbers of statements are fixed here: one more makes every answer
 * slower.
 */
const names = ["alice.eth", "sub.alice.eth", "dictionary.eth", "hidden.eth", "resolver.eth"];
const hidden = `[${"ab".repeat(32)}]`;

let statements: string[] = [];
const tables = useTables({ onQuery: (sql) => void statements.push(sql) });
const api = useApi(tables, NOW);

const row = (name: string, more = {}) => registeredRow(name, alice, inDays(1), more);

beforeAll(async () => {
  const unknown = { fullName: `${hidden}.eth`, label: hidden, labelLength: null };
  const rows = [
    domainRow("eth", ownedBy(account(0xe2))),
    ...names.map((name) => row(name, { resolver: STATIC_RESOLVER })),
    domainRow("gone.alice.eth"),
    row("unknown.eth", { ...unknown, isLabelKnown: false, isNameKnown: false }),
  ];
  await tables.writer.insert(domain).values(answerable(rows));
  const [, , dictionary, stored] = rows.slice(1);
  await tables.writer.insert(label).values([
    {
      chainId: CHAIN_ID,
      labelhash: dictionary?.labelhash ?? "0x",
      label: "dictionary",
      source: "dictionary",
    },
    { chainId: CHAIN_ID, labelhash: stored?.labelhash ?? "0x", label: null, source: null },
  ]);
});
beforeEach(() => {
  statements = [];
});

const questions: [question: string, ask: (of: TestApi) => ReturnType<TestApi["get"]>, statements: number][] =
  [
    ...names.map((name): (typeof questions)[number] => [name, (of) => of.get(`/whois/${name}`), 1]),
    ["a node", (of) => of.get(`/lookup-namehash/${namehash("alice.eth")}`), 1],
    ["a name that is absent", (of) => of.get("/whois/absent.eth"), 1],
    ["bulk", (of) => of.post("/whois/bulk", { names: [...names, "absent.eth"] }), 1],
    ["lookup", (of) => of.post("/lookup", { inputs: [...names, "absent.eth"] }), 1],
  ];

const withoutEntry = (body: unknown) =>
  JSON.stringify(body, (key, value) => (key === "protocol" ? undefined : value));

/** Answers from before counters existed: the details are then read by separate statements. */
let before: Awaited<ReturnType<TestApi["get"]>>[];

test("without counters the rows are counted", async () => {
  before = [];
  for (const [, ask] of questions) before.push(await ask(api));
  expect(before.map(({ status }) => status)).toEqual(questions.map(() => 200));
  expect(before.slice(0, 4).map(({ body }) => [body.subname_count, body.label_source])).toEqual([
    [2, "event"],
    [0, "event"],
    [0, "dictionary"],
    [0, "event"],
  ]);
  expect(statements.some((text) => text.includes("count(*)"))).toBe(true);
});

test("with counters, each answer takes its number of statements and has the same content", async () => {
  await countNames(tables.pool, NOW);
  for (const [i, [question, ask, most]] of questions.entries()) {
    statements = [];
    expect(await ask(api), question).toEqual(before[i]);
    expect(statements, question).toHaveLength(most);
  }
});

test("with ENSv2, the details come from the same row", async () => {
  const both = openApi(tables, NOW, { contracts: withEnsv2 });
  const { body } = await both.get("/whois/alice.eth");
  const { token, ...others } = body;
  expect(withoutEntry(others)).toBe(withoutEntry(before[0]?.body));
  expect(token).toBeDefined();
});
