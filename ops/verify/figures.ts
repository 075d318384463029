import { z } from "zod";
import type { Deployment } from "../../abis/deployments.ts";
import { listContracts } from "../../abis/deployments.ts";
import { listProgress } from "../../engine/ponderInternals.ts";
import { type Queries, queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { alignColumns } from "../commandLine/columns.ts";
import { CommandError } from "../commandLine/command.ts";
import { escapeControls } from "../commandLine/foreignText.ts";

/** Controllers of .eth names; later generations are those of layer 2s. */
const CONTROLLERS = [1, 2, 3, 4, 5];

const soldByControllers = `contract = 'CONTROLLER' and event_type in ('NameRegistered', 'NameRenewed')
  and contract_address = any($3) and chain_id = $1 and block_number <= $2`;
const kept = "coalesce(exact_cost_wei, cost_wei)";

/** The last expiry that the registrar of 2020 logged of each name until a block. */
const registered = `select distinct on (node) node, expiry_timestamp from events
  where contract = 'REGISTRAR' and event_type in ('NameRegistered', 'NameMigrated', 'NameRenewed')
    and chain_id = $1 and block_number <= $2
  order by node, block_number desc, log_index desc`;
const newest = "(select max(block_timestamp) from events where chain_id = $1 and block_number <= $2)";
const claimable = `expiry_timestamp + 7776000 > ${newest}`;

/** SQL for the value of each measure: $1 is the chain, $2 the block, $3 the controllers, $4 the transaction. */
const measures = {
  controller_events: `select count(*) as value from events where ${soldByControllers}`,
  kept_wei: `select coalesce(sum(${kept}), 0) as value from events where ${soldByControllers}`,
  overstated_wei: `select coalesce(sum(cost_wei - exact_cost_wei), 0) as value from events where ${soldByControllers}`,
  registered_names: `select count(*) as value from (${registered}) name`,
  claimable_names: `select count(*) as value from (${registered}) name where ${claimable}`,
  claimable_labels: `select count(*) as value from (${registered}) name where ${claimable}
    and exists (select from events where node = name.node and ${soldByControllers} and name is not null)`,
  transaction_kept_wei: `select coalesce(sum(${kept}), 0) as value from events
    where ${soldByControllers} and transaction_hash = $4`,
} as const;

const shape = z.array(
  z.strictObject({
    measure: z.enum(Object.keys(measures) as [keyof typeof measures, ...(keyof typeof measures)[]]),
    block: z.int().min(0),
    value: z.string().regex(/^\d{1,40}$/, "expected an integer in decimal digits"),
    source: z.string().max(200),
    transaction: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .optional(),
  }),
);

export type Figure = z.infer<typeof shape>[number];

/** A figure with what the index has; null where the index has not reached its block. */
export type ComparedFigure = Figure & { index: string | null };

/** @throws CommandError */
export function readFigures(text: string): Figure[] {
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
    const where = issue === undefined ? "no JSON" : `${issue.path.join(".")}: ${issue.message}`;
    throw new CommandError(`The file of --figures cannot be read: ${where}. docs/verified.md has its form.`);
  }
}

type FiguresPlan = { databaseUrl: string; schema: string; deployment: Deployment };

/** Computes each figure from the rows of the index. */
export function compareFigures(plan: FiguresPlan, figures: readonly Figure[]): Promise<ComparedFigure[]> {
  const config = { connectionString: plan.databaseUrl, application_name: `${plan.schema}_verify` };
  return withClient(config, async (client) => {
    await client.query(`set search_path to "${plan.schema}"`);
    const queries = queriesOf(client);
    const progress = await listProgress(queries.query, plan.schema);
    const reached = progress.find(({ chainId }) => chainId === plan.deployment.chainId)?.blockNumber ?? -1;
    const compared: ComparedFigure[] = [];
    for (const figure of figures) {
      const index = figure.block > reached ? null : await computed(queries, plan.deployment, figure);
      compared.push({ ...figure, index });
    }
    return compared;
  });
}

async function computed(
  { query }: Queries,
  deployment: Deployment,
  { measure, block, transaction }: Figure,
): Promise<string> {
  const controllers = listContracts(deployment, "controller", ...CONTROLLERS);
  const text = measures[measure];
  const values = [
    deployment.chainId,
    block,
    controllers.map(({ address }) => address.toLowerCase()),
    transaction ?? null,
  ];
  const used = values.findLastIndex((_, i) => text.includes(`$${i + 1}`)) + 1;
  const [row] = await query<{ value: string }>(text, values.slice(0, used));
  return String(row?.value ?? "");
}

/** All figures for a person, and the exit code: 0 equal, 1 different, 2 not reached. */
export function reportFigures(figures: readonly ComparedFigure[]): { text: string; code: number } {
  const verdict = ({ index, value }: ComparedFigure) =>
    index === null ? "not reached" : index === value ? "equal" : "different";
  const rows = figures.map((figure) => [
    figure.measure,
    String(figure.block),
    figure.value,
    figure.index ?? "",
    verdict(figure),
    escapeControls(figure.source),
  ]);
  const text = alignColumns([["measure", "block", "published", "index", "", "source"], ...rows]);
  const verdicts = new Set(figures.map(verdict));
  return { text, code: verdicts.has("different") ? 1 : verdicts.has("not reached") ? 2 : 0 };
}
