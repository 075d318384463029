import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { readVerification } from "../../src/api/server/serviceDb/verifications.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { lowerPriority } from "../commandLine/lowPriority.ts";

export type VerifyPlan = {
  databaseUrl: string;
  serviceSchema: string;
  /** Schema of the index. */
  schema: string;
  everySeconds: number;
  env: Record<string, string | undefined>;
  log: Record<"info" | "warn" | "error", (line: string) => void>;
  /** A minute by default: an index that has just started is behind its chain. */
  firstAfterMs?: number;
};

const FIRST_AFTER_MS = 60_000;
/** After a comparison that could not be made: the index was not ready, or the node failed. */
const RETRY_MS = 600_000;
/** The most of a report that is read. It has at most a thousand differences; strangers decide how long their texts are. */
const MAX_REPORT_LENGTH = 64 * 1_048_576;

const NOT_KNOWN = 2;

/**
 * Verifies the index periodically, each time in a process of its own with a low priority, whose load ends with it. The
 * time of the last comparison is stored, so a restart continues the wait.
 *
 * @returns a function that stops it
 */
export function verifyEvery(plan: VerifyPlan): () => void {
  const everyMs = plan.everySeconds * 1_000;
  const firstAfterMs = plan.firstAfterMs ?? FIRST_AFTER_MS;
  let timer: NodeJS.Timeout | undefined;
  let child: ChildProcess | undefined;
  let isStopped = false;
  const schedule = (afterMs: number) => {
    if (!isStopped) timer = setTimeout(run, afterMs);
  };
  const run = () => {
    const started = startVerify(plan, (code) => {
      child = undefined;
      schedule(code === NOT_KNOWN ? Math.min(RETRY_MS, everyMs) : everyMs);
    });
    child = started;
  };
  readLast(plan).then((finishedAt) =>
    schedule(Math.min(everyMs, Math.max(firstAfterMs, finishedAt * 1_000 + everyMs - Date.now()))),
  );
  return () => {
    isStopped = true;
    clearTimeout(timer);
    child?.kill("SIGTERM");
  };
}

/** When the last comparison ended, in unix seconds; 0 for never, and where the database does not answer now. */
async function readLast({ databaseUrl, serviceSchema, schema }: VerifyPlan): Promise<number> {
  const store = openStore({ databaseUrl, schema: serviceSchema });
  const last = await readVerification(store, schema).catch(() => null);
  await store.close();
  return last?.finishedAt ?? 0;
}

function startVerify({ env, log }: VerifyPlan, onEnd: (code: number) => void): ChildProcess {
  const program = fileURLToPath(new URL("../verify.ts", import.meta.url));
  const child = spawn(process.execPath, [program, "--json"], { env, stdio: ["ignore", "pipe", "ignore"] });
  let report = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (report.length < MAX_REPORT_LENGTH) report += text;
  });
  child.on("spawn", () => {
    if (child.pid !== undefined) lowerPriority(child.pid);
  });
  child.on("error", (error) => log.warn(`Verification failed: ${error.message}`));
  child.on("close", (code) => {
    const [level, line] = describe(report);
    log[level](line);
    onEnd(code ?? NOT_KNOWN);
  });
  return child;
}

type Report = {
  failure: string | null;
  values: number;
  block_number: number | null;
  difference_count: number;
  seed: number;
};

/** One line for the log, and how much it matters. */
function describe(text: string): ["info" | "warn" | "error", string] {
  const report = readReport(text);
  if (report === null || report.failure !== null) {
    const why = onOneLine(report?.failure ?? "run npm run verify to see why.");
    return ["warn", `Verification failed: ${why}`];
  }
  const { values, block_number, difference_count, seed } = report;
  const compared = `Verified the index at block ${block_number}`;
  return difference_count === 0
    ? ["info", `${compared}: all ${values} values match.`]
    : [
        "error",
        `${compared}: ${difference_count} of ${values} values differ. Show them with: npm run verify -- --seed ${seed}`,
      ];
}

function readReport(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}
