import { createHash } from "node:crypto";
import type pg from "pg";
import type { Address, Hex } from "viem";
import { contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Keys } from "../../src/api/comparison/keys.ts";
import { readRows } from "../../src/api/comparison/readRows.ts";
import { createRpc } from "../../src/api/live/rpc.ts";
import { inTransaction, queriesOf, withClient } from "../../src/api/postgres/client.ts";
import { reverseNode } from "../../src/api/schemas/input.ts";
import { CommandError } from "../commandLine/command.ts";
import { deploymentOf, nodeUrlsOf } from "../verify/chains.ts";
import { askAndCompare } from "../verify/compare.ts";
import { openNode, readBlock } from "../verify/node.ts";
import { explain, requireChain } from "../verify/outcome.ts";
import { valuesOf } from "../verify/result.ts";
import { type Checking, rowsOf } from "./checkFiles.ts";
import { quoted } from "./columns.ts";
import { literal } from "./duckDb.ts";
import type { Position } from "./manifest.ts";

/** Long enough for a large batch on a busy node. */
const CALL_TIMEOUT_MS = 20_000;

/** Tables that the comparison of an index with its contracts reads. */
const compared = ["domains", "resolver_nodes", "text_records", "address_records", "primary_names"] as const;

/** An interruption ends the program at once. */
const never = (): AbortSignal => new AbortController().signal;

/** Where the index and the nodes are. */
export type ChainSettings = Pick<
  Settings,
  "databaseUrl" | "schema" | "deployment" | "rpcUrls" | "liveRpcUrls" | "liveRequestsPerSecond"
>;

export type Sampling = { settings: ChainSettings; samples: number; seed: number };

/**
 * Asks the contracts of each chain, at the export's block, for a sample of what the files say. The comparison is the one of
 * `npm run verify`: it reads rows from tables of the session, into which those of the files are put.
 */
export async function checkChains(checking: Checking, sampling: Sampling): Promise<void> {
  const { manifest, report } = checking;
  const missing = compared.filter((name) => !manifest.tables.some((table) => table.name === name));
  if (sampling.samples === 0) return;
  if (missing.length > 0) {
    report.left.push(`with the contracts: the export has no ${missing.join(", ")}`);
    return;
  }
  for (const chain of manifest.chains) {
    await checkChain(checking, sampling, chain).catch((error: unknown) => {
      const reason = explain(error, never());
      report.left.push(`with the contracts of ${chain.chain_name} at block ${chain.block_number}: ${reason}`);
    });
  }
}

async function checkChain(checking: Checking, sampling: Sampling, chain: Position[number]): Promise<void> {
  const { report } = checking;
  const { settings } = sampling;
  const signal = never();
  const { chain_id: chainId, chain_name, block_number, block_hash } = chain;
  const deployment = deploymentOf(settings.deployment, chainId);
  const urls = nodeUrlsOf(settings, chainId);
  const requestsPerSecond = settings.liveRequestsPerSecond;
  const node = openNode({ urls, requestsPerSecond, signal });
  await requireChain(node, deployment);
  const block = await readBlock(node, block_number);
  if (block === null) throw new CommandError("the node does not have this block");
  if (block.hash !== block_hash) {
    report.faults.push(
      `block ${block_number} of ${chain_name} is ${block_hash} in the manifest, and ${block.hash} at the node`,
    );
    return;
  }
  const rows = await readSample(checking, sampling, deployment);
  const rpc = createRpc({ urls, requestsPerSecond, timeoutMs: CALL_TIMEOUT_MS });
  const result = await askAndCompare({ rpc, deployment, signal }, { snapshot: rows, block });
  for (const { table, column, of, index, chain: answer } of result.differences) {
    report.faults.push(
      `${table}.${column} of ${of}: the files have ${index}, the contracts of ${chain_name} ${answer}`,
    );
  }
  if (result.differenceCount === 0) {
    report.equal.push(
      `${valuesOf(result)} values of ${result.samples} names, records and primary names (seed ${sampling.seed}): the contracts of ${chain_name} at block ${block_number}`,
    );
  }
}

/** Rows of the files, as the comparison reads them. */
async function readSample(checking: Checking, { settings, samples, seed }: Sampling, deployment: Deployment) {
  const contracts = contractsOf(deployment);
  const keys = await chooseKeys(checking, { samples, seed, deployment });
  const { databaseUrl, schema } = settings;
  const config = { connectionString: databaseUrl, application_name: `${schema}_export` };
  return withClient(config, (client) =>
    inTransaction(client, async () => {
      await makeTables(client, schema);
      const nodes = [...keys.nodes, ...keys.records].map(({ node }) => node);
      const reverse = keys.claims.map(({ address }) => reverseNode(address));
      const ofNodes = inList("node", [...nodes, ...reverse]);
      for (const table of compared) {
        const where =
          table === "primary_names"
            ? inList(
                "address",
                keys.claims.map((one) => one.address),
              )
            : ofNodes;
        await putRows(checking, client, { table, where });
      }
      return readRows(keys, { ...queriesOf(client), contracts, at: null });
    }),
  );
}

/** Tables of this session alone, in place of those of the index. They are gone with its transaction. */
async function makeTables(client: pg.Client, schema: string): Promise<void> {
  for (const table of [...compared, "events"]) {
    await client.query(
      `create temporary table ${quoted(table)} (like ${quoted(schema)}.${quoted(table)}) on commit drop`,
    );
  }
  await client.query("set local search_path to pg_temp");
}

async function putRows(
  checking: Checking,
  client: pg.Client,
  { table, where }: { table: string; where: string },
): Promise<void> {
  const rows = await checking.duckDb.read(`select * from ${filesOf(checking, table)} where ${where}`);
  await client.query(
    `insert into ${quoted(table)} select * from json_populate_recordset(null::${quoted(table)}, $1)`,
    [JSON.stringify(rows)],
  );
}

function filesOf(checking: Checking, name: string): string {
  const table = checking.manifest.tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`the export has no ${name}`);
  return rowsOf(checking, table);
}

const inList = (column: string, values: readonly string[]): string =>
  values.length === 0 ? "false" : `${column} in (${[...new Set(values)].map(literal).join(", ")})`;

type Choice = { samples: number; seed: number; deployment: Deployment };

/** Half names, a third records, the rest primary names. Which ones follows from the seed. */
async function chooseKeys(checking: Checking, { samples, seed, deployment }: Choice): Promise<Keys> {
  const { duckDb } = checking;
  const { chainId, indexedResolvers } = contractsOf(deployment);
  const mark = createHash("sha256").update(String(seed)).digest("hex");
  const drawn = (key: string, part: number) =>
    `order by md5(${key} || '${mark}') limit ${Math.max(1, Math.round(samples * part))}`;
  const ofChain = `chain_id = ${chainId}`;
  const atResolvers = `${ofChain} and ${inList("resolver", indexedResolvers)}`;
  const nodes = await duckDb.read<{ node: Hex }>(
    `select node from ${filesOf(checking, "domains")} where ${ofChain} ${drawn("node", 1 / 2)}`,
  );
  const texts = await duckDb.read<{ resolver: Address; node: Hex; keyHash: Hex }>(
    `select resolver, node, key_hash as "keyHash" from ${filesOf(checking, "text_records")} where ${atResolvers} ${drawn("node || key_hash", 1 / 6)}`,
  );
  const addresses = await duckDb.read<{ resolver: Address; node: Hex; coinType: string }>(
    `select resolver, node, coin_type::text as "coinType" from ${filesOf(checking, "address_records")} where ${atResolvers} ${drawn("node || coin_type", 1 / 6)}`,
  );
  const claims = await duckDb.read<{ address: Address; coinType: string; chainId: string }>(
    `select address, coin_type::text as "coinType", chain_id::text as "chainId" from ${filesOf(checking, "primary_names")} where ${ofChain} ${drawn("address || coin_type", 1 / 6)}`,
  );
  return {
    nodes: nodes.map(({ node }) => ({ node, kind: "name" })),
    records: [
      ...texts.map((one) => ({ ...one, what: "text" as const, key: null, kind: "text" })),
      ...addresses.map((one) => ({ ...one, what: "address" as const, kind: "address" })),
    ],
    claims: claims.map((one) => ({
      ...{
        address: one.address,
        coinType: Number(one.coinType),
        chainId: Number(one.chainId),
        kind: "primary name",
      },
    })),
  };
}
