import { beforeAll, expect, test } from "vitest";
import { useApi } from "./api.ts";
import { countHandled, type Query } from "./readRows.ts";
import { AGENT_ADAPTER, AGENT_REGISTRY, CHAIN_ID, NOW, REGISTRAR, STATIC_RESOLVER } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const AGENTS = 2_000;
/**
 * An agent's rows across all steps: each row, and each once or twice for every sort, join and
 * count.
 */
const HANDLED_PER_LINE = 30;

/**
 * Each agent is bound to a name. Every second one is claimed by that name, and every fourth by the
 * next.
 */
const statements = (() => {
  const hash = (i: string) => `'0x' || lpad(to_hex(${i}), 64, '0')`;
  const key = (id: string) =>
    `'agent-registration[0x00010000027a6914${AGENT_REGISTRY.slice(2)}][' || ${id} || ']'`;
  const claims = (ofName: string, every: number, k: number) => [
    `insert into text_records (chain_id, resolver, node, version, key_hash, key, value, is_value_known, block_number,
       log_index, transaction_hash, sets_in_transaction, is_read)
     select ${CHAIN_ID}, '${STATIC_RESOLVER}', ${hash(ofName)}, 0, ${hash("i")}, ${key("i")}, '1', true, i, ${k},
       ${hash("i")}, 1, false from generate_series(1, ${AGENTS}) as i where i % ${every} = 0`,
    `insert into events (chain_id, block_number, log_index, ordinal, block_timestamp, transaction_hash, contract,
       contract_address, event_type, node)
     select ${CHAIN_ID}, i, ${k}, 0, i, ${hash("i")}, 'RESOLVER', '${STATIC_RESOLVER}', 'TextChanged', ${hash(ofName)}
     from generate_series(1, ${AGENTS}) as i where i % ${every} = 0`,
  ];
  return [
    `insert into domains (chain_id, node, parent_node, labelhash, label, is_label_known, full_name, is_name_known,
       is_migrated, resolver, is_wrapped, created_block_number, created_timestamp)
     select ${CHAIN_ID}, ${hash("i")}, ${hash("0")}, ${hash("i")}, 'n' || i, true, 'n' || i || '.eth', true, true,
       '${STATIC_RESOLVER}', false, i, i from generate_series(1, ${AGENTS + 1}) as i`,
    `insert into agent_bindings (chain_id, adapter, agent_id, token_standard, token_contract, token_id, node,
       registered_by, block_number, log_index, transaction_hash, block_timestamp)
     select ${CHAIN_ID}, '${AGENT_ADAPTER}', i, 0, '${REGISTRAR}', i, ${hash("i")}, '${REGISTRAR}', i, 9, ${hash("i")}, i
     from generate_series(1, ${AGENTS}) as i`,
    ...claims("i", 2, 0),
    ...claims("i + 1", 4, 1),
  ];
})();
const LINES = AGENTS + AGENTS / 4;

let queries: Query[] = [];
const tables = useTables({ onQuery: (sql, parameters) => void queries.push({ sql, parameters }) });
const api = useApi(tables, NOW);

beforeAll(async () => {
  for (const statement of statements) await tables.pool.query(statement);
  await tables.pool.query("vacuum analyze");
  await setProgress(tables, { chainId: CHAIN_ID, block: AGENTS, time: NOW });
});

test("bindings and claims are joined without comparing each with each", async () => {
  queries = [];
  const { body } = await api.get("/agents");
  expect(body.total).toBe(LINES);
  const [query] = queries.filter(({ sql }) => sql.includes("agent_bindings"));
  const client = await tables.pool.connect();
  // As PostgreSQL plans when it expects few claims, because they are few among all records of a
  // million names.
  await client.query("set enable_hashjoin = off; set enable_mergejoin = off");
  const handled = await countHandled(client, query as Query);
  client.release(true);
  expect(handled).toBeLessThan(LINES * HANDLED_PER_LINE);
});

test("the directory knows each agent's binding and the names that claim it", async () => {
  const totals = async (query: string) => (await api.get(`/agents?${query}`)).body.total;
  expect(await totals("is_bound=true")).toBe(AGENTS);
  expect(await totals("is_bound=true&has_ensip25_registration=true")).toBe(AGENTS / 2);
  expect(await totals("is_bound=false")).toBe(AGENTS / 4);
});
