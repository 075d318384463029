import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { countNames } from "../counts/exactCounters.ts";
import { operations } from "../support/operations.ts";
import { pathOf, type TestApi, useApi } from "./api.ts";
import { contracts as withEnsv2 } from "./ensv2.ts";
import { fillWithMany } from "./manyRows.ts";
import { needsNode } from "./noChain.ts";
import { account, CHAIN_ID, NOW } from "./rows.ts";
import { beginFeed, setProgress, useTables } from "./tables.ts";

/*
 * Without ENSv2, its tables are empty and answers mention nothing of it. With an empty ENSv2, the
 * same rows have the same answers.
 */
const NAMES = 3_000;
const owner = account(4_096 + 7);

const tables = useTables();
const without = useApi(tables, NOW);
const empty = useApi(tables, NOW, { contracts: withEnsv2 });

beforeAll(async () => {
  await fillWithMany(NAMES)(tables.pool);
  await beginFeed(tables);
  await setProgress(tables, { chainId: CHAIN_ID, block: NAMES, time: NOW });
});

const values: Record<string, string> = {
  name: "name7.eth",
  address: owner,
  hash: namehash("name7.eth"),
  key: "url",
  agentId: "1",
};

const names = Array.from({ length: 20 }, (_, i) => `name${i}.eth`);
const addresses = Array.from({ length: 20 }, (_, i) => account(4_096 + i));

/** Bodies of the operations that take no lists of names or addresses. */
const bodies: Record<string, unknown> = {
  "/lookup": { inputs: [...names, ...addresses], records: {}, relations: ["effective_owner"] },
};

/** Each operation, and lists with each of their options. */
const questions: [title: string, ask: (api: TestApi) => ReturnType<TestApi["get"]>][] = [
  ...operations
    .filter(({ path }) => !needsNode.includes(path))
    .map((operation): (typeof questions)[number] => {
      const [{ method, path }, url] = [operation, pathOf(operation, values)];
      const body = bodies[path] ?? { names, addresses };
      return [`${method} ${path}`, (api) => (method === "get" ? api.get(url) : api.post(url, body))];
    }),
  ...[
    ...["registered", "grace", "premium", "available"].map(
      (one) => `/search-domains?availability_status=${one}`,
    ),
    ...["q=name1", "q=name7.eth&search_full_name=true", `registrar_owner=${owner}`, "is_wrapped=true"].map(
      (search) => `/search-domains?${search}`,
    ),
    ...["effective_owner", "registry_owner", "registrar_owner", "wrapper_owner", "resolver"].map(
      (type) => `/address/${owner}/domains?address_type=${type}&include_expired=true`,
    ),
  ].map((path): (typeof questions)[number] => [path, (api) => api.get(path)]),
];

/** An answer without the fields that exist only with ENSv2: a name's protocol, and the phase. */
function withoutItsFields({ status, body }: Awaited<ReturnType<TestApi["get"]>>): unknown {
  const text = JSON.stringify({ status, body }, (key, value) =>
    (key === "protocol" && value === "ensv1") || key === "ensv2" ? undefined : value,
  );
  return JSON.parse(text);
}

describe.each(["the rows", "counters"])("counted from %s", (source) => {
  beforeAll(async () => {
    if (source === "counters") await countNames(tables.pool, NOW);
  });

  test.each(questions)("%s answers the same without ENSv2 and with an empty one", async (_, ask) => {
    const answer = await ask(without);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(JSON.stringify(answer.body)).not.toMatch(/"(protocol|ensv2)":/);
    expect(withoutItsFields(await ask(empty))).toEqual(answer);
  });
});
