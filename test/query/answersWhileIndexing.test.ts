// Also runs as: long
import { setTimeout as sleep } from "node:timers/promises";
import { domain } from "ponder:schema";
import type pg from "pg";
import { type Address, getAddress, namehash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { journalChannel } from "../../engine/blocks/sql.ts";
import { openAccess } from "../../src/api/server/access/access.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import { createPipeline, type ExecuteOperation } from "../../src/api/server/http/pipeline.ts";
import { readInput } from "../../src/api/server/http/readInput.ts";
import { createConsistentRead, createStateReader } from "../../src/api/server/indexState/consistentRead.ts";
import { followJournal } from "../../src/api/server/indexState/followJournal.ts";
import { prepareIndexPool } from "../../src/api/server/indexState/indexPool.ts";
import { readTablesState } from "../../src/api/server/indexState/position.ts";
import { countNames } from "../counts/exactCounters.ts";
import { openPool } from "../support/database.ts";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { noChain } from "./noChain.ts";
import { account, CHAIN_ID, contracts, domainRow, registeredRow, STATIC_RESOLVER } from "./rows.ts";
import { createTables, setProgress, type Tables } from "./tables.ts";

/*
 * Requests names while an indexer writes blocks and reverts some. Each answer names its block and
 * has to give the name's state in that block.
 */
const NOW = 1_800_000_000;
const BLOCKS = isLong() ? 150 : 50;
const READERS = 6;
const names = Array.from({ length: 8 }, (_, i) => `name${i}.eth`);

type Step = { hash: string; committedAt: number; owners: Record<string, Address> };

let tables: Tables;
let indexer: pg.Pool;
let line: ReturnType<typeof followJournal>;
let execute: ExecuteOperation;
const statements: string[] = [];

const hashOf = (step: number): string => `0x${String(step).padStart(64, "0")}`;
const operationAt = (path: string) => operations.find((one) => one.path === path) as Endpoint;

beforeAll(async () => {
  tables = await createTables({ onQuery: (text) => statements.push(text) });
  prepareIndexPool(tables.pool as never);
  indexer = openPool({ connectionString: tables.databaseUrl, max: 1 });
  const owner = account(1);
  const resolver = STATIC_RESOLVER;
  await tables.writer
    .insert(domain)
    .values([
      domainRow("eth", { registryOwner: owner, effectiveOwnerAddress: owner, resolver }),
      ...names.map((name) => registeredRow(name, owner, BigInt(NOW + 1_000_000), { resolver })),
    ]);
  await countNames(tables.pool, NOW);
  await write(0, { number: 0, owners: {}, isTold: false });
  const states = createStateReader(() => readTablesState(tables.db));
  const { databaseUrl } = tables;
  line = followJournal({ databaseUrl, schema: "public", readState: states.read });
  execute = createPipeline({
    createContext: async () =>
      ({ ...noChain, db: tables.db, contracts, now: NOW, chainHead: async () => null }) as Ctx,
    access: openAccess,
    requireReadyIndex: async () => {},
    observe: (_, run) => run(),
    readConsistently: createConsistentRead(tables.db, states),
  });
});
afterAll(async () => {
  await line.stop();
  await indexer.end();
  await tables.drop();
});

type Block = { number: number; owners: Record<string, Address>; isTold: boolean };

/** Writes a block, or replaces the newest, in one transaction as the indexer does. */
async function write(step: number, { number, owners, isTold }: Block): Promise<void> {
  const client = await indexer.connect();
  await client.query("begin");
  for (const [name, owner] of Object.entries(owners)) {
    await client.query(
      "update domains set registry_owner = $2, registrar_owner = $2, effective_owner_address = $2 where node = $1",
      [namehash(name), owner],
    );
  }
  const place = { chainId: CHAIN_ID, block: number, time: 1_700_000_000 + number };
  await setProgress({ pool: client as unknown as pg.Pool }, place);
  await client.query(
    `insert into blocks values ($1, $2, $3, $4, $5)
     on conflict (chain_id, number) do update set hash = excluded.hash, parent_hash = excluded.parent_hash`,
    [CHAIN_ID, number, hashOf(step), hashOf(step - 1), place.time],
  );
  if (isTold) await client.query("select pg_notify($1, '[]')", [journalChannel("public")]);
  await client.query("commit");
  client.release();
}

const below = (end: number): number => Math.floor(Math.random() * end);

type Reply = {
  ownership: { owner: string };
  as_of: { block_hash: string; block_number: number }[];
};

async function ask(name: string): Promise<Reply> {
  const isByHash = below(3) === 0;
  const operation = operationAt(isByHash ? "/lookup-namehash/{hash}" : "/whois/{name}");
  const input = readInput(operation, isByHash ? { hash: namehash(name) } : { name });
  const caller = { address: "127.0.0.1", header: () => undefined };
  return JSON.parse((await execute({ operation, input, caller })).reply);
}

test("an answer gives the name's state in the block it names, and is no older than its request", async () => {
  const steps: Step[] = [];
  let owners: Record<string, Address> = Object.fromEntries(names.map((name) => [name, account(1)]));
  let isOver = false;
  const index = async () => {
    let number = 0;
    for (let step = 1; step <= BLOCKS; step++) {
      const changed = Object.fromEntries(
        names.filter(() => below(4) === 0).map((name) => [name, account(1_000 + step)]),
      );
      owners = { ...owners, ...changed };
      const hash = hashOf(step);
      // From now on, readers may see this block.
      steps.push({ hash, committedAt: Number.POSITIVE_INFINITY, owners });
      if (below(5) > 0 || number === 0) number++; // Otherwise the newest block is replaced.
      await write(step, { number, owners: changed, isTold: below(2) === 0 });
      Object.assign(steps.at(-1) as Step, { committedAt: performance.now() });
      await sleep(below(12));
    }
    isOver = true;
  };
  const failures: string[] = [];
  let answers = 0;
  const read = async () => {
    while (!isOver) {
      const name = names[below(below(2) === 0 ? 2 : names.length)] as string;
      const startedAt = performance.now();
      const { ownership, as_of } = await ask(name);
      answers++;
      const at = steps.findIndex(({ hash }) => hash === as_of[0]?.block_hash);
      const [step] = at < 0 ? [] : [steps[at] as Step];
      if (step !== undefined && ownership.owner !== getAddress(step.owners[name] as Address)) {
        failures.push(`${name} has ${ownership.owner} in ${step.hash}`);
      }
      const oldest = steps.findLastIndex(({ committedAt }) => committedAt <= startedAt);
      if (at < oldest) failures.push(`${name} is of step ${at}, and ${oldest} was there before`);
    }
  };
  await Promise.all([index(), ...Array.from({ length: READERS }, read)]);
  expect(failures).toEqual([]);
  expect(answers).toBeGreaterThan(BLOCKS);
});

test("a name costs one query", async () => {
  statements.length = 0;
  for (let i = 0; i < 5; i++) await ask(names[0] ?? "");
  expect(statements).toHaveLength(5);
});
