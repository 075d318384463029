import { domain, event } from "ponder:schema";
import { namehash } from "viem";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Chance, chanceOf } from "../../bench/api/chance.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { countRead, type Query } from "../query/readRows.ts";
import { account, CHAIN_ID, contracts, domainRow, eventRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* Complete lists of events in id order, compared with a plain evaluation, and the rows read for them. */

type Log = { block: number; log: number; ordinal: number; contract: string; eventType: string };

/** The blocks of two ranges: those with seven digits come before those with six. */
const NOW = 1_800_000_000;
const BLOCKS = { from: 999_980, count: 60 };
/** A range of logs without events of names. */
const GAP = { from: 2_000_000, count: 20_000 };

const kinds: readonly (readonly [number, readonly [string, string]])[] = [
  [4, ["REGISTRY", "NewOwner"]],
  [1, ["REGISTRY", "NewTTL"]],
  [1, ["REGISTRAR", "NewOwner"]],
  [1, ["REGISTRAR", "NameRenewed"]],
  [2, ["NAME_WRAPPER", "TransferBatch"]],
  [1, ["NAME_WRAPPER", "FusesSet"]],
  [5, ["RESOLVER", "NameChanged"]],
  [1, ["NAME_WRAPPER", "Transfer"]],
];

const members: Record<string, readonly string[]> = {
  domainEvents: [
    "REGISTRY NewOwner",
    "REGISTRY NewTTL",
    "NAME_WRAPPER TransferBatch",
    "NAME_WRAPPER FusesSet",
  ],
  newTTLs: ["REGISTRY NewTTL"],
  wrappedTransfers: ["NAME_WRAPPER TransferBatch"],
};

function randomLogs(chance: Chance): Log[] {
  const logs: Log[] = [];
  for (let block = BLOCKS.from; block < BLOCKS.from + BLOCKS.count; block++)
    for (let log = chance.below(9); log < 14; log += 1 + chance.below(3)) {
      const [contract, eventType] = chance.of(kinds);
      const tokens = eventType === "TransferBatch" ? 1 + chance.below(3) : 1;
      for (let ordinal = 0; ordinal < tokens; ordinal++)
        logs.push({ block, log, ordinal, contract, eventType });
    }
  return logs;
}

const idOf = ({ block, log, ordinal, eventType }: Log): string =>
  `${block}-${log}${eventType === "TransferBatch" ? `-${ordinal}` : ""}`;

let tables: Tables;
let queries: Query[] = [];
const seed = inject("seed");
const logs = randomLogs(chanceOf(seed));

beforeAll(async () => {
  tables = await createTables({
    onQuery: (sql, parameters) => void queries.push({ sql, parameters }),
  });
  const node = namehash("one.eth");
  const details = '{"ttl":"5"}';
  const rows = logs.map(({ block, log, ordinal, contract, eventType }) => ({
    ...eventRow({ block, log }, { contract, eventType, node, details, ...named(eventType) }),
    ordinal,
  }));
  await tables.writer.insert(event).values(rows);
  await tables.writer.insert(domain).values(domainRow("one.eth", { registryOwner: account(1) }));
  await tables.pool.query(
    `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
       contract_address, event_type, node, name)
     select ${CHAIN_ID}, ${GAP.from} + i, 0, 0, 1600000000 + (${GAP.from} + i) * 12, '0x00', 'RESOLVER', '0x01', 'NameChanged',
       '${node}', 'a' from generate_series(1, ${GAP.count}) as i`,
  );
  await tables.pool.query("analyze");
});
afterAll(() => tables?.drop());

const named = (eventType: string) => (eventType === "NameChanged" ? { name: "a" } : {});

const ask = async (list: string, args: string): Promise<string[]> => {
  const env = envOf(contracts, NOW);
  const plan = planOf({ query: `{ ${list}(${args}) { id } }` });
  const answer = (await answerQuery(tables.db, plan, env)) as Record<string, { id: string }[]>;
  return (answer[list] ?? []).map(({ id }) => id);
};

const signs = {
  gt: (a: string, b: string) => a > b,
  gte: (a: string, b: string) => a >= b,
  lt: (a: string, b: string) => a < b,
  lte: (a: string, b: string) => a <= b,
};
type Sign = keyof typeof signs;
const words = Object.keys(signs) as Sign[];

test("random pages equal a plain evaluation", async () => {
  const chance = chanceOf(seed + 1);
  const pick = <Item>(items: readonly Item[]): Item => items[chance.below(items.length)] as Item;
  let nonEmpty = 0;
  for (let run = 0; run < 120; run++) {
    const list = pick(Object.keys(members));
    const all = logs.filter((one) => members[list]?.includes(`${one.contract} ${one.eventType}`));
    const [first, skip, direction] = [1 + chance.below(30), chance.below(3) * 7, pick(["asc", "desc"])];
    const filters = Array.from({ length: chance.below(3) }, () => {
      const [sign, isOfId] = [pick(words), chance.is(0.7)];
      const one = pick(logs);
      const value = isOfId ? pick([idOf(one), `${one.block}`, `${one.block}-`]) : one.block;
      const where = isOfId ? `id_${sign}: "${value}"` : `blockNumber_${sign}: ${value}`;
      const holds = (of: Log) =>
        isOfId
          ? signs[sign](idOf(of), String(value))
          : signs[sign](String(of.block).padStart(9), String(value).padStart(9));
      return { where, holds };
    });
    const where =
      filters.length === 0 ? "" : `, where: { and: [${filters.map((f) => `{ ${f.where} }`).join(", ")}] }`;
    const expected = all
      .filter((one) => filters.every(({ holds }) => holds(one)))
      .map(idOf)
      .sort();
    if (direction === "desc") expected.reverse();
    const args = `orderBy: id, orderDirection: ${direction}, first: ${first}, skip: ${skip}${where}`;
    const page = expected.slice(skip, skip + first);
    if (page.length > 0) nonEmpty++;
    expect({ list, args, page: await ask(list, args) }).toEqual({ list, args, page });
  }
  expect(nonEmpty).toBeGreaterThan(40);
});

describe("what is read", () => {
  const readFor = async (list: string, args: string) => {
    queries = [];
    const found = await ask(list, args);
    const counts = await Promise.all(queries.map((one) => countRead(tables.pool, one, "events")));
    return { found: found.length, rows: counts.reduce((sum, one) => sum + one, 0) };
  };

  test.each(["domainEvents", "newTTLs", "registrationEvents"])(
    "%s preceded by very many other logs",
    async (list) => {
      const { found, rows } = await readFor(list, 'first: 5, where: { id_gt: "2" }');
      expect(found).toBeGreaterThan(0);
      expect(rows).toBeLessThan(1_000);
    },
  );

  test("the guard would detect those logs", async () => {
    expect((await readFor("resolverEvents", 'first: 1000, where: { id_gt: "2" }')).rows).toBeGreaterThan(
      1_000,
    );
  });
});
