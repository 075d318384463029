import { decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from "viem";
import { type Deployment, listContracts } from "../../abis/deployments.ts";
import { priceFeedReads } from "../../abis/priceFeed.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import type { Node } from "./node.ts";
import { MAX_DIFFERENCES, noteNotCompared, noteValue, type Result } from "./result.ts";

type FeedPlan = { databaseUrl: string; schema: string; deployment: Deployment; node: Node };

type Odd = { name: string | null; base_cost_wei: string; transaction_hash: string; log_index: number };

/**
 * Says how registrations fit the price feed by which the index computes prices of renewals: the index checks each of them. And
 * whether the feed still has the last phase that the deployment knows.
 *
 * @throws NodeError where the node does not answer
 */
export async function compareFeed(plan: FeedPlan, result: Result): Promise<void> {
  const { priceFeed } = plan.deployment;
  if (priceFeed === undefined) return;
  const { matches, odd } = await readChecks(plan);
  result.compared.set("events.base_cost_wei", { values: matches, differences: 0 });
  for (const { name, base_cost_wei, transaction_hash, log_index } of odd) {
    noteValue(result, {
      table: "events",
      column: "base_cost_wei",
      kind: "price of a registration",
      of: `${name ?? "a name"}, log ${log_index} of ${transaction_hash}`,
      index: "another price, by the price feed",
      chain: base_cost_wei,
      path: `/domain/${name}/events`,
      calls: [{ method: "eth_getTransactionReceipt", params: [transaction_hash] }],
    });
  }
  await comparePhase(plan, priceFeed.proxy, result);
}

const readChecks = ({ databaseUrl, schema, deployment: { chainId } }: FeedPlan) =>
  withClient({ connectionString: databaseUrl, application_name: `${schema}_verify` }, async (client) => {
    await client.query(`set search_path to "${schema}"`);
    const checks = await client.query<{ matches: number }>(
      "select matches from price_feed_checks where chain_id = $1",
      [chainId],
    );
    const odd = await client.query<Odd>(
      `select name, base_cost_wei::text, transaction_hash, log_index from events
       where anomaly = 'the price is not that of the price feed' and chain_id = $1
       order by block_number, log_index limit ${MAX_DIFFERENCES}`,
      [chainId],
    );
    return { matches: checks.rows[0]?.matches ?? 0, odd: odd.rows };
  });

async function comparePhase({ deployment, node }: FeedPlan, proxy: Hex, result: Result): Promise<void> {
  const known = listContracts(deployment, "price-feed").map(({ generation }) => generation);
  const data = encodeFunctionData({ abi: priceFeedReads, functionName: "phaseId" });
  const params: [{ to: Hex; data: Hex }, Hex] = [{ to: proxy, data }, numberToHex(result.block.number)];
  const answer = (await node.ask({ method: "eth_call", params })) as Hex;
  if (answer === "0x") return noteNotCompared(result, "the price feed tells no phase");
  noteValue(result, {
    table: "price_feed_phases",
    column: "phase",
    kind: "price feed",
    of: `the phase of the price feed ${proxy}`,
    index: String(Math.max(...known)),
    chain: String(decodeFunctionResult({ abi: priceFeedReads, functionName: "phaseId", data: answer })),
    path: "/indexing-status",
    calls: [{ method: "eth_call", params }],
  });
}
