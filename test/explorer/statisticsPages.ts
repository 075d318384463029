import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Contracts } from "../../abis/contracts.ts";
import { createExplorer } from "../../src/api/features/explorer/explorer.ts";
import { indexedPrimaryNames } from "../../src/api/names/endpoints/primaryNamesEndpoints.ts";
import { openAccess } from "../../src/api/server/access/access.ts";
import { callerBehind } from "../../src/api/server/access/caller.ts";
import { createPipeline } from "../../src/api/server/http/pipeline.ts";
import { createFreshness } from "../../src/api/server/indexState/freshness.ts";
import { noChain } from "../query/noChain.ts";
import { account, CHAIN_ID, contracts as ofRows, STATIC_RESOLVER } from "../query/rows.ts";
import { setProgress, type Tables } from "../query/tables.ts";
import { createTestApp } from "../support/app.ts";
import { operations } from "../support/operations.ts";

/** The explorer on a test's tables, at its own port. */
export async function serveExplorer(
  tables: Tables,
  now: number,
  contracts: Contracts = ofRows,
): Promise<{ url: string; close: () => Promise<void> }> {
  const { db } = tables;
  await setProgress(tables, { chainId: CHAIN_ID, block: 22_764_821, time: now });
  const chainHead = async () => ({ number: 22_764_821, timestamp: now });
  const freshness = createFreshness({
    db,
    heads: chainHead,
    completed: { add: async () => {}, has: async () => false },
    isActive: async () => false,
    standby: async () => null,
    failingBlock: async () => null,
    sourceComparisons: async () => [],
    lastVerification: async () => null,
    schema: "namedex_index",
    chainId: CHAIN_ID,
    startBlocks: {},
    maxLagSeconds: null,
    clock: () => now,
  });
  const createContext = async () => ({ ...noChain, db, contracts, now, chainHead, freshness });
  const executeOperation = createPipeline({
    createContext,
    access: openAccess,
    requireReadyIndex: async () => {},
    observe: (_, run) => run(),
    readConsistently: async (read) => ({ result: await read(db), position: [] }),
  });
  const explorer = createExplorer({
    operations,
    executeOperation,
    access: "open",
    primaryNames: indexedPrimaryNames,
    hasAvatars: false,
    hasMcp: true,
    compresses: true,
    outside: { mainChain: "mainnet", blockExplorers: {}, ipfsGateway: null, titleOf: () => undefined },
    callerOf: callerBehind(0),
    publicUrl: undefined,
  });
  const app = createTestApp({ operations, db, createContext, pages: explorer });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const hash = (seed: string) => `'0x' || md5(${seed}) || md5(${seed} || '.')`;

/** Years of sales by several controllers, names of every length and state, and claims on two chains. */
export async function fillWithSales({ pool }: Tables, now: number): Promise<void> {
  const time = `${now} - (i * 37 % 1400)::bigint * 86400 - i % 86400`;
  await pool.query(`
    insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
      contract_address, event_type, node, cost_wei, premium_wei, referrer)
    select ${CHAIN_ID}, i, 0, 0, ${time}, ${hash("'t' || i")}, 'CONTROLLER',
      case when i * 37 % 1400 > 700 then '${account(0xe3)}' else '${account(0x5e11)}' end,
      case when i % 3 = 0 then 'NameRenewed' else 'NameRegistered' end, ${hash("'n' || i")},
      (3 + i % 11) * 1000000000000000, case when i % 3 > 0 then i % 7 * 100000000000000 end,
      case when i % 9 = 0 then '0x' || lpad(to_hex(i % 12), 64, case when i % 2 = 0 then '0' else 'a' end) end
    from generate_series(1, 28000) as i where i / 1400 % 20 < 11 + 8 * sin(i * 37 % 1400 / 60.0) + i * 37 % 1400 % 3`);
  await pool.query(`
    insert into price_feed_answers (chain_id, block_number, log_index, block_timestamp, answer)
    select ${CHAIN_ID}, i * 10, -1, ${now} - i, 200000000000 + i::bigint * 7000000 from generate_series(0, 2800) as i`);
  await pool.query(`
    insert into domains (chain_id, node, parent_node, label, is_label_known, label_length, full_name, is_name_known,
      is_migrated, resolver, is_wrapped, effective_owner_address, registrar_owner, expiry_timestamp,
      created_block_number, created_timestamp)
    select ${CHAIN_ID}, ${hash("'d' || i")}, '0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae',
      'n' || i, true, 3 + (i % 9) + (i % 5) + (i % 4), 'n' || i || '.eth', true, true, '${STATIC_RESOLVER}', false,
      '0x' || lpad(to_hex((i % 97) * (i % 89) + 4096), 40, '0'), '${account(1)}', ${now} + (i % 1900 - 300) * 86400, 1, 1
    from generate_series(1, 6000) as i`);
  await pool.query(`
    insert into primary_names (address, coin_type, name, is_name_known, registrar, chain_id, block_number, transaction_hash)
    select '0x' || lpad(to_hex(i), 40, '0'), 60, 'n' || i || '.eth', true, 'REVERSE_REGISTRAR', ${CHAIN_ID}, 1, '0x01'
    from generate_series(1, 900) as i
    union all
    select '0x' || lpad(to_hex(i), 40, '0'), 61, 'n' || i || '.eth', true, 'L2_REVERSE_REGISTRAR', 31338, 1, '0x01'
    from generate_series(1, 300) as i`);
}
