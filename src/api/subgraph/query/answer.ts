import { block, event } from "ponder:schema";
import { and, desc, eq, sql } from "ponder";
import type { Db } from "../../postgres/db.ts";
import { executeFrequent, frequentNames } from "../../postgres/frequentStatements.ts";
import { sqlOf } from "../../query/scope.ts";
import { FREQUENT } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import type { Env } from "../table/entity.ts";
import type { BlockArgument } from "./block.ts";
import { commonValuesFor } from "./commonValues.ts";
import { readSchema, type SchemaBudget, schemaBudget } from "./introspection.ts";
import { changesAfter } from "./past.ts";
import type { MetaSelection, QueryPlan, RootPlan } from "./plan.ts";
import { boundedReader, type Reader, readList, readOne } from "./read.ts";
import { spreadFor } from "./spread.ts";
import { countSubdomains, type InTurn } from "./subdomains.ts";

type JournalBlock = Pick<typeof block.$inferSelect, "number" | "hash" | "parentHash" | "timestamp">;

/** What the blocks say of which an answer can be. */
type Blocks = {
  /** The block that the tables stand on. */
  head: () => Promise<JournalBlock>;
  /** The first block from which on nothing changed. */
  unchangedFrom: () => Promise<number>;
  byNumber: (number: number) => Promise<JournalBlock | null>;
  byHash: (hash: string) => Promise<JournalBlock | null>;
};

const frequentName = frequentNames(FREQUENT);
const commonValues = commonValuesFor(FREQUENT.periodMs);
const spread = spreadFor(FREQUENT.periodMs);

/** The name under which errors speak of the subgraph, and `_meta` of its deployment. */
const DEPLOYMENT = "namedex";

/** Answers a query: all of it is of one block. Each statement is run in its turn. @throws QueryError */
export async function answerQuery(
  db: Db,
  plan: QueryPlan,
  env: Env,
  inTurn: InTurn = (run) => run(),
): Promise<Record<string, unknown>> {
  const reader = boundedReader({
    env,
    past: null,
    rows: (statement) => inTurn(async () => (await db.execute(statement)).rows),
    rowsByKey: (statement) => inTurn(() => executeFrequent(db, statement, frequentName)),
    commonValues: () => commonValues(db),
    spread: () => spread(db),
    countSubdomains: (nodes) => countSubdomains(db, env, { nodes, inTurn }),
  });
  const blocks = blocksOf(db, env);
  const answering = { readerOf: readersOf(reader, blocks), blocks, budget: schemaBudget() };
  const answers = await Promise.all(plan.roots.map((root) => answerRoot(root, answering)));
  return Object.assign({}, ...answers);
}

type Answering = {
  readerOf: (argument: BlockArgument) => Promise<Reader>;
  blocks: Blocks;
  budget: SchemaBudget;
};

async function answerRoot(
  root: RootPlan,
  { readerOf, blocks, budget }: Answering,
): Promise<Record<string, unknown>> {
  switch (root.kind) {
    case "typename":
      return { [root.key]: "Query" };
    case "schema":
      return { [root.key]: readSchema(root.of, budget) };
    case "meta":
      return { [root.key]: metaOf(root.selected, await metaBlock(root.block, blocks)) };
    case "one":
      return { [root.key]: await readOne(await readerOf(root.block), root.of, root.id) };
    case "many":
      return { [root.key]: await readList(await readerOf(root.block), root.of, root.list) };
  }
}

function blocksOf(db: Db, { chains }: Env): Blocks {
  const { holds } = sqlOf(chains);
  const ofChain = holds(block.chainId);
  const readHead = async (): Promise<JournalBlock> => {
    const [newest] = await db.select().from(block).where(ofChain).orderBy(desc(block.number)).limit(1);
    if (newest === undefined) throw new QueryError("The index has no block yet");
    return newest;
  };
  let head: Promise<JournalBlock> | undefined;
  const find = async (condition: ReturnType<typeof eq>) =>
    (await db.select().from(block).where(and(ofChain, condition)).limit(1))[0] ?? null;
  return {
    // Most queries name no block.
    head: () => {
      head ??= readHead();
      return head;
    },
    unchangedFrom: async () => {
      const last = sql`select max(${event.blockNumber})::int as number from ${event} where ${holds(event.chainId)}`;
      const [found] = await executeFrequent(db, last, frequentName);
      return Number(found?.number ?? 0);
    },
    byNumber: (number) => find(eq(block.number, number)),
    byHash: (hash) => find(eq(block.hash, hash as `0x${string}`)),
  };
}

/** The block that a query names; null for the newest. @throws QueryError for one that is not indexed yet, or not known */
async function namedBlock(argument: BlockArgument, { head, byHash }: Blocks): Promise<number | null> {
  if (argument === null) return null;
  if (argument.by === "hash") {
    const found = await byHash(argument.hash);
    if (found === null)
      throw new QueryError(`Failed to decode \`block.hash\` value: no block with that hash found`);
    return found.number;
  }
  const newest = await head();
  if (argument.number > newest.number) {
    throw new QueryError(
      `Failed to decode \`block.${argument.by}\` value: \`subgraph ${DEPLOYMENT} has only indexed up to block number ${newest.number} and data for block number ${argument.number} is therefore not yet available\``,
    );
  }
  return argument.by === "number" ? argument.number : null;
}

/** The block that a query names, if anything in the index changed since: today's data are not given for it. */
async function pastBlock(argument: BlockArgument, blocks: Blocks): Promise<number | null> {
  const number = await namedBlock(argument, blocks);
  if (number === null || number === (await blocks.head()).number) return null;
  return number >= (await blocks.unchangedFrom()) ? null : number;
}

/** The readers of the blocks that a query names: what changed since one is read once. */
function readersOf(reader: Reader, blocks: Blocks): Answering["readerOf"] {
  const known = new Map<string, Promise<Reader>>();
  return (argument) => {
    const name = JSON.stringify(argument);
    const found = known.get(name) ?? readerAt(argument, reader, blocks);
    known.set(name, found);
    return found;
  };
}

/** A reader of the block that a query names. @throws QueryError if too much changed since to know */
async function readerAt(argument: BlockArgument, reader: Reader, blocks: Blocks): Promise<Reader> {
  const block = await pastBlock(argument, blocks);
  if (block === null) return reader;
  const refuse = () => notAvailable(block, blocks);
  const changes = await changesAfter(reader, block);
  if (changes === null) throw await refuse();
  return { ...reader, past: { block, refuse, ...changes } };
}

/** As graph-node says it of blocks whose data it has no more. */
const notAvailable = async (number: number, { unchangedFrom }: Blocks): Promise<QueryError> =>
  new QueryError(
    `Failed to decode \`block.number\` value: \`subgraph ${DEPLOYMENT} only has data starting at block number ${await unchangedFrom()} and data for block number ${number} is therefore not available\``,
  );

/** The block of `_meta`: of a past one what the journal has. */
async function metaBlock(argument: BlockArgument, blocks: Blocks): Promise<Partial<JournalBlock>> {
  const number = await namedBlock(argument, blocks);
  return number === null ? blocks.head() : ((await blocks.byNumber(number)) ?? { number });
}

function metaOf(selected: readonly MetaSelection[], of: Partial<JournalBlock>): Record<string, unknown> {
  const { number, hash = null, parentHash = null, timestamp = null } = of;
  const meta: Record<string, unknown> = {
    ...{ deployment: DEPLOYMENT, hasIndexingErrors: false, __typename: "_Meta_" },
  };
  const ofBlock: Record<string, unknown> = { number, hash, parentHash, timestamp, __typename: "_Block_" };
  const pick = (from: Record<string, unknown>, fields: readonly MetaSelection[]): Record<string, unknown> =>
    Object.fromEntries(
      fields.map(({ key, name, of: below }) => [key, below ? pick(ofBlock, below) : (from[name] ?? null)]),
    );
  return pick(meta, selected);
}
