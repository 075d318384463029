import type { Hex } from "viem";
import type { ChainDeployment } from "../../abis/deployments.ts";
import { type Log, readLogged, type Transaction } from "./chainLogs.ts";
import { request } from "./chainReads.ts";
import { keepLedgers, type Ledger } from "./ledger.ts";
import { revealedLabels } from "./names.ts";
import { contractOf, type Row, show, type Trial, type Verdict } from "./oracle.ts";
import { findPresent, type Present } from "./present.ts";

/** The judged subject: the answers of an API whose index has reached the head of its chains. */
export type AnswersTrial = Pick<Trial, "rpcUrl" | "deployment"> & {
  api: (path: string) => Promise<{ status: number; body: unknown }>;
  /** Chains with their own reverse registrars; none by default. */
  layer2?: readonly { rpcUrl: string; deployment: ChainDeployment }[];
};

/** Shared by all parts of the judgement of answers. */
export type Judge = {
  get: (path: string) => Promise<Row>;
  /**
   * Statistics, if current: they may be as old as their cache time, and those taken before this moment represent another state of
   * the chain. Null for those.
   */
  getFresh: (path: string) => Promise<Row | null>;
  same: (what: string, answered: unknown, expected: unknown) => void;
  /** Whether the index answers for a resolver on its own. */
  isIndexed: (resolver: Hex | null) => boolean;
  rpcUrl: string;
  deployment: Trial["deployment"];
  logs: readonly Log[];
  layer2: readonly { deployment: ChainDeployment; logs: readonly Log[] }[];
  ledgers: Map<Hex, Ledger>;
  /** Labels spelled out by a log, by hash. */
  revealed: Map<Hex, string>;
  transactions: Map<Hex, Transaction>;
  wrapper: Hex | undefined;
  /** The time by which the API judges expiries. */
  now: bigint;
  /** The state of each name at that time. */
  present: Map<Hex, Present>;
};

/** Reads the chains; the judge adds to the verdict with each question. */
export async function openJudge(trial: AnswersTrial): Promise<{ judge: Judge; verdict: Verdict }> {
  const { rpcUrl, deployment, api } = trial;
  const verdict: Verdict = { differences: [], counts: { answers: 0, values: 0 } };
  const { logs, transactions } = await readLogged(rpcUrl, deployment);
  const layer2 = await Promise.all(
    (trial.layer2 ?? []).map(async (chain) => ({
      deployment: chain.deployment,
      logs: (await readLogged(chain.rpcUrl, chain.deployment)).logs,
    })),
  );
  const heads = await Promise.all(
    [trial, ...(trial.layer2 ?? [])].map((chain) => readHeadTime(chain.rpcUrl)),
  );
  const now = BigInt(Math.max(...heads, Math.floor(Date.now() / 1_000)));
  const ledgers = keepLedgers(logs, { deployment });
  const wrapper = contractOf({ deployment }, "wrapper")?.address.toLowerCase() as Hex | undefined;
  const listed: (string | null)[] = deployment.contracts
    .filter((entry) => entry.static)
    .map((entry) => entry.address.toLowerCase());
  const judge: Judge = {
    ...listen(api, { verdict, now }),
    isIndexed: (resolver) => listed.includes(resolver),
    rpcUrl,
    deployment,
    logs,
    layer2,
    ledgers,
    transactions,
    wrapper,
    now,
    revealed: revealedLabels(logs, (log) => transactions.get(log.transactionHash)?.from),
    present: await findPresent(ledgers, { rpcUrl, wrapper, now }),
  };
  return { judge, verdict };
}

async function readHeadTime(rpcUrl: string): Promise<number> {
  const head = await request<{ timestamp: Hex }>(rpcUrl, "eth_getBlockByNumber", ["latest", false]);
  return Number(head.timestamp);
}

function listen(
  api: AnswersTrial["api"],
  { verdict: { differences, counts }, now }: { verdict: Verdict; now: bigint },
): Pick<Judge, "get" | "getFresh" | "same"> {
  const get = async (path: string) => {
    const { status, body } = await api(path);
    counts.answers = (counts.answers ?? 0) + 1;
    if (status !== 200) differences.push(`${path}: ${status} ${JSON.stringify(body)}`);
    return body as Row;
  };
  return {
    get,
    getFresh: async (path) => {
      const answer = await get(path);
      return Date.parse(String(answer.generated_at)) < Number(now) * 1_000 ? null : answer;
    },
    same: (what, answered, expected) => {
      counts.values = (counts.values ?? 0) + 1;
      const [said, wanted] = [JSON.stringify(answered), JSON.stringify(expected)];
      if (said !== wanted) differences.push(`${what}: answered ${show(said)}, chain says ${show(wanted)}`);
    },
  };
}

/** Number of concurrent questions. */
const ASKED_AT_ONCE = 8;

/** Judges every item of a list, several at once. */
export async function everyOne<T>(items: readonly T[], judgeOne: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await judgeOne(item);
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work));
}
