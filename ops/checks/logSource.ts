import type pg from "pg";
import { listProgress, listSchemas } from "../../engine/ponderInternals.ts";
import { describeFalseSource, listFalseSources } from "../../engine/sources/falseSources.ts";
import { type LogSource, openLogSource, SourceError } from "../../engine/sources/logSource.ts";
import { noteReader } from "../../engine/sources/sourceBlocks.ts";
import type { ChainLogSource } from "../../settings/logSource.ts";
import { type Settings, SettingsError } from "../../settings/settings.ts";
import { callNode } from "../../src/api/names/live/jsonRpc.ts";
import { queriesOf } from "../../src/api/server/postgres/client.ts";
import { UnavailableError } from "../commandLine/exitCodes.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { onDatabase } from "./database.ts";

const TIMEOUT_MS = 10_000;
/** A source that is busy now may answer the indexer, which waits longer. */
const ATTEMPTS = 3;

/** Kinds of requests for logs that a range takes on mainnet; engine/backfill/logSync.ts merges all others into these. */
const KINDS = 3;
/** Blocks that providers take in a request. */
const [FEWEST_BLOCKS, MOST_BLOCKS] = [2_000, 10_000];
/** Blocks of a Portal's streams, two for each range, and how many it begins in a minute. */
const STREAM_BLOCKS = 50_000;
const STREAMS_A_MINUTE = 120;
/** Logs that are indexed in a second: docs/performance.md has what was measured. */
const LOGS_PER_SECOND = 8_000;

type Needed = Pick<
  Settings,
  "deployment" | "databaseUrl" | "schema" | "rpcUrls" | "logSources" | "rpcRequestsPerSecond"
>;
type Chain = { chainId: number; name: string; contracts: readonly { startBlock: number }[] };

/**
 * Opens the source of each chain's past logs, and compares it with the chain.
 *
 * @returns a line for each chain: what a first index takes
 * @throws SettingsError for a source that cannot be used, UnavailableError for one that does not answer
 */
export async function checkLogSources(settings: Needed): Promise<string[]> {
  const { deployment, logSources, databaseUrl } = settings;
  const lines: string[] = [];
  for (const chain of [deployment, ...deployment.layer2]) {
    const configured = logSources[chain.chainId];
    await onDatabase(databaseUrl, async (client) => {
      await requireNoFalseIndex(client, settings, chain.chainId);
      await noteIndexOf(client, settings, chain.chainId);
    });
    const head = await headOf(chain, settings);
    if (head === null) continue;
    const source = configured === undefined ? null : await openSource(configured, { chain, head, settings });
    lines.push(describe(chain, { source, head, settings }));
  }
  return lines;
}

/** The indexer can neither take back what it indexed nor index a part again. */
async function requireNoFalseIndex(
  client: pg.Client,
  { schema, logSources }: Needed,
  chainId: number,
): Promise<void> {
  const found = (await listFalseSources(queriesOf(client).query, chainId)).find(
    (one) => one.schema === schema,
  );
  if (found !== undefined)
    throw new SettingsError(describeFalseSource(logSources[chainId]?.variable ?? "LOG_SOURCE", found));
}

/** What the index reads from the cache from now on may be of a source. */
async function noteIndexOf(client: pg.Client, { schema }: Needed, chainId: number): Promise<void> {
  const { query } = queriesOf(client);
  const indexed = (await listSchemas(query)).includes(schema) ? await listProgress(query, schema) : [];
  const from = indexed.find((chain) => chain.chainId === chainId)?.blockNumber ?? 0;
  await noteReader(query, { chainId, schema, from });
}

type Opening = { chain: Chain; head: number; settings: Needed };

async function openSource(
  { variable, location }: ChainLogSource,
  { chain, head, settings }: Opening,
): Promise<LogSource> {
  const { chainId, name } = chain;
  const fail = (Fault: typeof SettingsError, why: string) => new Fault(`${variable}: ${onOneLine(why)}`);
  try {
    const source = await openLogSource(location, { chainId, attempts: ATTEMPTS });
    const known = await onDatabase(settings.databaseUrl, (client) =>
      listFalseSources(queriesOf(client).query, chainId),
    );
    const refused = known.find((one) => one.location === source.name);
    if (refused !== undefined) throw new SettingsError(describeFalseSource(variable, refused));
    const block = Math.min(source.last.number, head);
    const [theirs, ours] = [
      await source.hashOf(block),
      (await blockOf(`0x${block.toString(16)}`, settings.rpcUrls[chainId]))?.hash,
    ];
    if (theirs !== null && ours !== undefined && theirs !== ours) {
      throw fail(
        SettingsError,
        `block ${block} of ${source.name} is ${theirs}, but ${ours} at your node: is it of ${name} (${chainId})?`,
      );
    }
    return source;
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw fail(error instanceof SourceError ? SettingsError : UnavailableError, (error as Error).message);
  }
}

/** A node that does not answer now was reported before. */
async function askAny(urls: readonly string[], method: string, params: unknown[]): Promise<unknown> {
  for (const url of urls) {
    const reply = await callNode(url, { method, params }, AbortSignal.timeout(TIMEOUT_MS)).catch(() => null);
    if (reply?.result) return reply.result;
  }
  return null;
}

type Block = { number: string; hash: string };

const blockOf = (block: string, urls: readonly string[] = []): Promise<Block | null> =>
  askAny(urls, "eth_getBlockByNumber", [block, false]) as Promise<Block | null>;

async function headOf({ chainId }: Chain, { rpcUrls }: Needed): Promise<number | null> {
  const head = await blockOf("latest", rpcUrls[chainId]);
  return head === null ? null : Number(head.number);
}

const inWords = (count: number): string => Math.ceil(count).toLocaleString("en");
const minutes = (count: number): string => (count <= 1 ? "a minute" : `${inWords(count)} minutes`);

const fromTo = (least: string, most: string): string => (least === most ? least : `${least} to ${most}`);

/** What a first index takes, before any of it is done; later lines of the log say what it takes in fact. */
function describe(
  { chainId, name, contracts }: Chain,
  { source, head, settings }: { source: LogSource | null; head: number; settings: Needed },
): string {
  const first = Math.min(...contracts.map(({ startBlock }) => startBlock));
  const blocks = Math.max(0, (source?.last.number ?? head) - first + 1);
  const requests = (size: number) => (blocks / size) * KINDS;
  if (source === null) {
    const [few, many] = [requests(MOST_BLOCKS), requests(FEWEST_BLOCKS)];
    const rate = settings.rpcRequestsPerSecond * 60;
    return `${name}: past logs come from RPC_URL_${chainId}. A first index takes ${inWords(few)} to ${inWords(many)} requests for logs, or ${fromTo(minutes(few / rate), minutes(many / rate))} at ${settings.rpcRequestsPerSecond} requests a second.`;
  }
  const samples = `${inWords((blocks / 100_000) * (KINDS + 16))} requests to your node for samples`;
  const start = `${name}: past logs up to block ${source.last.number} come from ${onOneLine(source.name)}, and later ones from RPC_URL_${chainId}.`;
  if (source.count !== null) {
    return `${start} A first index reads ${inWords(source.count)} logs, about ${minutes(source.count / LOGS_PER_SECOND / 60)}, with ${samples}.`;
  }
  const streams = (blocks / STREAM_BLOCKS) * 2;
  return `${start} A first index takes ${inWords(streams)} requests or more, which take at least ${minutes(streams / STREAMS_A_MINUTE)}, and ${samples}.`;
}
