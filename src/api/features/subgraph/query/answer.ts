import { block } from "ponder:schema";
import { and, desc, eq } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { MAX_CHANGES } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import type { Env } from "../table/entity.ts";
import type { BlockArgument } from "./block.ts";
import { createTaker, schemaData } from "./introspection.ts";
import { changesAfter, lastChange } from "./past.ts";
import type { QueryPlan, RootPlan } from "./plan.ts";
import { boundedReader, type Reader, readList, readOne } from "./reader.ts";
import { countSubdomains, type InTurn } from "./subdomains.ts";

type JournalBlock = Pick<typeof block.$inferSelect, "number" | "hash" | "parentHash" | "timestamp">;

/** What is known of the blocks that an answer can be about. */
type Blocks = {
  /** The block that the tables represent. */
  head: () => Promise<JournalBlock>;
  byNumber: (number: number) => Promise<JournalBlock | null>;
  byHash: (hash: string) => Promise<JournalBlock | null>;
};

/** The name under which errors speak of the subgraph, and `_meta` of its deployment. */
const DEPLOYMENT = "namedex";

/** Answers a query at one block. Statements run in turn. @throws QueryError */
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
    countSubdomains: (nodes) => countSubdomains(db, env, { nodes, inTurn }),
  });
  const blocks = blocksOf(db, env);
  const answering = { readerOf: readersOf(reader, blocks), blocks, take: createTaker() };
  const answers = await Promise.all(plan.roots.map((root) => answerRoot(root, answering)));
  return Object.assign(Object.create(null), ...answers);
}

type Answering = {
  readerOf: (argument: BlockArgument) => Promise<Reader>;
  blocks: Blocks;
  take: ReturnType<typeof createTaker>;
};

async function answerRoot(
  root: RootPlan,
  { readerOf, blocks, take }: Answering,
): Promise<Record<string, unknown>> {
  switch (root.kind) {
    case "typename":
      return { [root.key]: "Query" };
    case "schema":
      return { [root.key]: take(schemaData(root.typeName), root.of) };
    case "meta":
      return { [root.key]: take(metaOf(await metaBlock(root.block, blocks)), root.of) };
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
    if (newest === undefined) throw noBlock();
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
    byNumber: (number) => find(eq(block.number, number)),
    byHash: (hash) => find(eq(block.hash, hash as `0x${string}`)),
  };
}

const noBlock = (): QueryError => new QueryError("The index has no block yet");

/** The block that a query names; null for the newest. @throws QueryError for an unknown one */
async function namedBlock(argument: BlockArgument, { byHash }: Blocks): Promise<number | null> {
  if (argument === null) return null;
  if (argument.by !== "hash") return argument.by === "number" ? argument.number : null;
  const found = await byHash(argument.hash);
  if (found === null)
    throw new QueryError(`Failed to decode \`block.hash\` value: no block with that hash found`);
  return found.number;
}

/** @throws QueryError for a number that is not indexed yet */
function requireIndexed(argument: BlockArgument, newest: number): void {
  if (argument === null || argument.by === "hash" || argument.number <= newest) return;
  throw new QueryError(
    `Failed to decode \`block.${argument.by}\` value: \`subgraph ${DEPLOYMENT} has only indexed up to block number ${newest} and data for block number ${argument.number} is therefore not yet available\``,
  );
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
  if (argument?.by === "number_gte") requireIndexed(argument, (await blocks.head()).number);
  const block = await namedBlock(argument, blocks);
  if (block === null) return reader;
  const since = await changesAfter(reader, block);
  if (since.newest === null) throw noBlock();
  requireIndexed(argument, since.newest);
  const refuse = async () => notAvailable(block, await lastChange(reader));
  if (since.time === null || since.logs > MAX_CHANGES) throw await refuse();
  // What time alone ends is as it was at the block's own time.
  const then = { ...reader, env: { ...reader.env, now: since.time } };
  // Where nothing in the index changed since, today's data are those of the block.
  return since.logs === 0 ? then : { ...then, past: { block, refuse, ...since } };
}

/** As graph-node says it of blocks whose data it has no more. */
const notAvailable = (number: number, from: number): QueryError =>
  new QueryError(
    `Failed to decode \`block.number\` value: \`subgraph ${DEPLOYMENT} only has data starting at block number ${from} and data for block number ${number} is therefore not available\``,
  );

/** The block of `_meta`: of a past one what the journal has. */
async function metaBlock(argument: BlockArgument, blocks: Blocks): Promise<Partial<JournalBlock>> {
  const newest = await blocks.head();
  requireIndexed(argument, newest.number);
  const number = await namedBlock(argument, blocks);
  return number === null ? newest : ((await blocks.byNumber(number)) ?? { number });
}

const metaOf = (block: Partial<JournalBlock>) => ({
  block,
  deployment: DEPLOYMENT,
  hasIndexingErrors: false,
});
