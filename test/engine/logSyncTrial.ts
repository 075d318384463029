import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  toEventSelector,
} from "viem";
import { seeded } from "../../bench/index/chain/seeded.ts";
import { createArchive } from "../../ops/logs/create.ts";
import { inputWithoutEmail, withoutEmail } from "../../src/ens/shortNameClaims.ts";
import { openPonderDatabase } from "./ponderCache.ts";
import { ponderModule } from "./ponders.ts";
import { type PortalPlan, startPortal } from "./portalNode.ts";
import { hashOf, type Plan, type ProviderLog, startProvider } from "./providerNode.ts";

// `node logSyncTrial.ts <database> <plan as JSON>`: lets Ponder's backfill fetch logs of a provider into its cache. Prints the
// cache's rows and the requests that the provider received. Contracts are followed in two steps, so that the second finds a part
// in the cache.

const [databaseUrl, planText = "{}"] = process.argv.slice(2);
/** A source that replaces the provider: a Portal, or the folder of an archive. */
export type Source = {
  portal?: PortalPlan;
  archive?: string;
  /** Where to write the logs into an archive at the end; with only the first filters, if it says so. */
  to?: string;
  isFirstOnly?: boolean;
  /** Compares the cache with the node at the end. */
  isCompared?: boolean;
  /** The source lies: no lie may be between the samples. */
  isFalse?: boolean;
  /** Another indexer finds the source false when the first range is compared and not yet written. */
  isRefusedMeanwhile?: boolean;
};
const parsed: Partial<Plan> & { needs?: boolean; source?: Source } = JSON.parse(planText);
const { source = {}, ...given } = parsed;
/** Trials of sources have logs with e-mail addresses, which must not get into the cache. */
const hasClaims = parsed.source !== undefined;
const CLAIM = toEventSelector("ClaimSubmitted(string,bytes,uint256,address,string)");
if (hasClaims) globalThis.namedexStorable = { data: withoutEmail, input: inputWithoutEmail };

const HEAD = 60_000;
const FINALIZED = HEAD - 100;
const addressOf = (number: number): Hex => numberToHex(0xa000_0000 + number, { size: 20 });
const topicOf = (number: number): Hex => hashOf(3, number);
const argumentOf = (address: Hex): Hex => numberToHex(BigInt(address), { size: 32 });

/** Many random emitters, some of them followed; controllers and resolvers that a log names before or after they log. */
function makeLogs(): ProviderLog[] {
  const chance = seeded(7);
  const logs = Array.from({ length: 1_500 }, (): ProviderLog => {
    const topics = Array.from({ length: 1 + chance.whole(3) }, (_, i) =>
      i === 0 ? topicOf(chance.whole(12)) : argumentOf(addressOf(chance.whole(90))),
    );
    // Most logs are of the second half, as on mainnet.
    const block = chance.happens(0.7) ? 40_000 + chance.whole(20_000) : 1 + chance.whole(HEAD);
    return {
      block,
      address: addressOf(chance.whole(90)),
      topics,
      data: numberToHex(chance.whole(1e6), { size: 64 }),
    };
  });
  const named = Array.from({ length: 24 }, (_, i): ProviderLog => {
    const [factory, topic] = i % 2 === 0 ? [70, 20] : [71, 21];
    return {
      block: 1 + chance.whole(HEAD),
      address: addressOf(factory),
      topics: [topicOf(topic), argumentOf(addressOf(i * 3))],
    };
  });
  const claims = Array.from({ length: hasClaims ? 300 : 0 }, (_, i): ProviderLog => {
    const email = `who${i}@mail.example`;
    const words = parseAbiParameters("string, bytes, uint256, address, string");
    const data = encodeAbiParameters(words, [`name${i}`, "0x", 1n, addressOf(i), email]);
    const abi = parseAbi(["function submitExactClaim(bytes name, address claimant, string email)"]);
    const input = encodeFunctionData({ abi, args: ["0x", addressOf(i), email] });
    const [block, address] = [1 + chance.whole(HEAD), addressOf(chance.whole(90))];
    return { block, address, topics: [CLAIM], data, input };
  });
  return [...logs, ...named, ...claims].sort((a, b) => a.block - b.block);
}

const shared = { type: "log", chainId: 1, sourceId: "Trial", hasTransactionReceipt: false, include: [] };
type Parts = { address?: unknown; topics: (Hex | Hex[] | null)[]; from?: number; to?: number };
const filterOf = ({ address, topics: [topic0, topic1 = null, topic2 = null], from = 1, to }: Parts) => ({
  ...shared,
  address,
  topic0,
  topic1,
  topic2,
  topic3: null,
  fromBlock: from,
  toBlock: to,
});
const factoryOf = (address: number, topic: number, from = 1) => ({
  id: `factory ${address} ${topic}`,
  type: "log",
  chainId: 1,
  sourceId: "Trial",
  address: addressOf(address),
  eventSelector: topicOf(topic),
  childAddressLocation: "topic1",
  fromBlock: from,
  toBlock: undefined,
});

const few = factoryOf(70, 20);
const many = factoryOf(71, 21, 5_000);
const fixed = Array.from({ length: 60 }, (_, i) => ({
  address: i % 5 === 0 ? [addressOf(i), addressOf(i + 1)] : addressOf(i),
  topics: [topicOf(i % 4)],
  from: i % 3 === 0 ? 1 + i * 700 : 1,
  ...(i % 7 === 0 && { to: 45_000 }),
}));
const firstStep = [
  ...fixed.slice(0, 40),
  { topics: [topicOf(4)] },
  ...(hasClaims ? [{ topics: [CLAIM] }] : []),
  { topics: [topicOf(5)], from: 9_999 },
  { address: few, topics: [topicOf(7)] },
  { address: few, topics: [topicOf(8)] },
].map(filterOf);
const secondStep = [
  ...fixed.slice(40),
  { topics: [topicOf(6), [argumentOf(addressOf(1)), argumentOf(addressOf(2))]] },
  { address: addressOf(80), topics: [topicOf(9), null, argumentOf(addressOf(3))] },
  { address: many, topics: [topicOf(10)], from: 5_000 },
  { address: many, topics: [topicOf(0)], from: 5_000 },
].map(filterOf);

const plan: Plan = { logs: makeLogs(), head: HEAD, ...given };
const provider = await startProvider(plan);
const portal = source.portal && (await startPortal(source.portal, provider.logsOf, provider.transactionsOf));
const location = portal?.url ?? source.archive;
/** The transactions of other logs are fetched behind the ranges. */
const someTopics = [0, 1, 2, 3].map(topicOf);
if (location !== undefined) {
  globalThis.namedexLogSources = {
    schema: "trial",
    byChain: { 1: { variable: "LOG_SOURCE", location } },
    withTransactions: {
      1: [{ address: null, topics: [source.isFalse ? someTopics : null, null, null, null] }],
    },
    ...(source.isFalse && { sample: { rangeShare: 1, blocksPerSample: 1_000 } }),
  };
}
const [{ createRpc }, { getLocalEventGenerator }, runtime, { createSyncStore }, checkpoints, schema] =
  await Promise.all(
    [
      "rpc/index.js",
      "runtime/historical.js",
      "runtime/index.js",
      "sync-store/index.js",
      "utils/checkpoint.js",
      "sync-store/schema.js",
    ].map(ponderModule),
  );
const { database, ponder, pool } = await openPonderDatabase(databaseUrl, {
  options: { databaseMaxQueryParameters: 16_000, factoryAddressCountThreshold: 8, command: "start" },
});
if (source.isRefusedMeanwhile) {
  const [{ noteFalseSource }, { noteSourceBlocks, SOURCE_BLOCKS }] = await Promise.all([
    import("../../engine/sources/falseSources.ts"),
    import("../../engine/sources/sourceBlocks.ts"),
  ]);
  const query = async <Row>(text: string): Promise<Row[]> => (await pool.query(text)).rows;
  const other = { location: "another", chainId: 2, schema: "another", block: 5, what: "found meanwhile" };
  await query("begin");
  await noteSourceBlocks(query, { ...other, from: 1, to: 9 });
  await noteFalseSource(query, other);
  await query(`commit; create function refuse() returns trigger language plpgsql as $$ begin
    insert into ${schema.PONDER_SYNC_SCHEMA}.false_sources (chain_id, location, schema, block, what)
      select new.chain_id, new.location, schema, block, what from ${schema.PONDER_SYNC_SCHEMA}.false_sources where chain_id = 2;
    return null; end $$;
    create trigger refuse after insert on ${SOURCE_BLOCKS} for each row execute function refuse()`);
}
const chain = {
  id: 1,
  name: "mainnet",
  rpc: Array(25).fill(provider.url),
  finalityBlockCount: 65,
  disableCache: false,
  pollingInterval: 1_000,
  viemChain: undefined,
};
const rpc = createRpc({ common: ponder, chain });

/** Fetches the logs of filters, and returns the events as they reach handlers. */
async function follow(filters: object[]) {
  const syncStore = createSyncStore({ common: ponder, qb: database.syncQB });
  const childAddresses = await runtime.getChildAddresses({ filters, syncStore });
  const cachedIntervals = await runtime.getCachedIntervals({ chain, filters, syncStore });
  const finalizedBlock = provider.blockJson(FINALIZED, false);
  const known = { common: ponder, chain, rpc, filters, cachedIntervals, finalizedBlock };
  const syncProgress = await runtime.getLocalSyncProgress(known);
  const eventCallbacks = filters.map((filter, i) => ({ filter, name: `Entry${i}:Event` }));
  const checkpointOf = (block: number, edge: "up" | "down"): string =>
    checkpoints.encodeCheckpoint(checkpoints.blockToCheckpoint(provider.blockJson(block, false), 1, edge));
  const params = {
    common: ponder,
    chain,
    rpc,
    childAddresses,
    eventCallbacks,
    syncProgress,
    cachedIntervals,
    database,
    isCatchup: false,
    from: checkpointOf(1, "down"),
    to: checkpointOf(FINALIZED, "up"),
    limit: 200,
  };
  const found: LogEvent[] = [];
  for await (const { events } of getLocalEventGenerator(params)) found.push(...events);
  return found.map(({ log, block, transaction }) => ({
    place: [log.blockNumber, log.logIndex],
    hash: log.transactionHash,
    time: Number(block.timestamp),
    transaction: transaction?.hash,
  }));
}

type LogEvent = {
  log: { blockNumber: number; logIndex: number; transactionHash?: Hex };
  block: { timestamp: bigint };
  transaction?: { hash: Hex };
};

// The handlers of two entries need transactions; those of one need them for some logs.
if (given.needs) {
  globalThis.namedexNeededTransactions = {
    "Entry0:Event": () => true,
    "Entry40:Event": ({ address }) => BigInt(address) % 2n === 0n,
  };
}

/** Ponder does not catch failures there: its process ends. */
const failed = new Promise<string>((resolve) => {
  process.once("unhandledRejection", (error) => resolve((error as Error).message));
});
let first: object = {};
let events: unknown[] = [];
const followed = follow(firstStep).then(async () => {
  first = { ...provider.seen.requests };
  if (!source.isFirstOnly) events = await follow([...firstStep, ...secondStep]);
});
const failure = await Promise.race([failed, followed.then(() => null)]);
if (source.to !== undefined) {
  const screen = { write: () => {} };
  await createArchive({ folder: source.to, chainId: 1, databaseUrl: String(databaseUrl), screen });
}
const SCHEMA = schema.PONDER_SYNC_SCHEMA;
const read = async (columns: string, table: string) =>
  (await pool.query(`select ${columns} from ${SCHEMA}.${table} order by 1, 2, 3`)).rows;
const cache = {
  logs: await read("block_number, log_index, t::text", "logs t"),
  intervals: await read("fragment_id, chain_id, blocks::text", "intervals"),
  found: await read(
    "factory::text, address, a.block_number",
    `factory_addresses a join ${SCHEMA}.factories f on f.id = a.factory_id`,
  ),
  blocks: await read("number, hash, timestamp", "blocks"),
  transactions: await read("block_number, transaction_index, t::text", "transactions t"),
};
/** The fields of transactions that handlers read; an archive has no others. */
const used = await read(
  'block_number, transaction_index, hash, block_hash, "from", "to", input, value',
  "transactions",
);
const compared = source.isCompared
  ? await (await import("./comparisonSteps.ts")).compareInSteps({
      databaseUrl: String(databaseUrl),
      pool,
      provider,
      plan,
    })
  : null;
const refused = failure === null ? [] : await read("location, block, what", "false_sources").catch(() => []);
provider.stop();
portal?.stop();
const { seen } = provider;
const outcome = { cache, first, events, used, failure, refused, compared, seen, portal: portal?.seen };
process.stdout.write(JSON.stringify(outcome), () => process.exit());
