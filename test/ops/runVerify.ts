import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import type { Deployment } from "../../abis/deployments.ts";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { bareEnvironment } from "../support/environment.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { runProgram } from "./programs.ts";

/** The output of `npm run verify -- --json`, as far as tests look at it. */
export type Report = {
  complete: boolean;
  failure: string | null;
  block_number: number;
  samples: number;
  values: number;
  difference_count: number;
  compared: Record<string, { values: number; differences: number }>;
  kinds: Record<string, number>;
  not_compared: Record<string, number>;
  differences: {
    table: string;
    column: string;
    of: string;
    index: string | null;
    chain: string | null;
    path: string;
    calls: { method: string; params: unknown[] }[];
  }[];
};

/** The index to verify and the node to use. */
export type Verified = {
  databaseUrl: string;
  rpcUrl: string;
  deployment: Deployment;
  env?: Record<string, string>;
};

export type Ended = { code: number | null; out: string; err: string };

/** The environment of an operator's program for this index. */
export function environmentOf({
  databaseUrl,
  rpcUrl,
  deployment,
  env = {},
}: Verified): Record<string, string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "namedex-verify-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "deployment.json");
  writeFileSync(file, JSON.stringify(deployment));
  return {
    ...bareEnvironment,
    ENS_NETWORK: "devnet",
    ENS_DEPLOYMENT: file,
    [`RPC_URL_${deployment.chainId}`]: rpcUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: "namedex_index",
    LIVE_REQUESTS_PER_SECOND: "1000",
    ...env,
  };
}

/** Starts the program as `npm run verify` does. */
export function startVerify(
  verified: Verified,
  args: readonly string[],
): { child: ChildProcess; ended: Promise<Ended> } {
  const program = fileURLToPath(new URL("../../ops/verify.ts", import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    env: environmentOf(verified),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { out: "", err: "" };
  child.stdout.on("data", (text) => (output.out += text));
  child.stderr.on("data", (text) => (output.err += text));
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, ...output })));
  return { child, ended };
}

/** Runs the program to its end. */
export async function runVerify(verified: Verified, args: readonly string[]): Promise<Ended> {
  const { code, stdout, stderr } = await runProgram("verify.ts", args, environmentOf(verified));
  return { code, out: stdout, err: stderr };
}

/** Runs it with `--json` and returns the report with the exit code. */
export async function reportOf(
  verified: Verified,
  args: readonly string[],
): Promise<Report & { code: number | null }> {
  const { out, err, code } = await runVerify(verified, [...args, "--json"]);
  if (out === "") throw new Error(err);
  return { ...(JSON.parse(out) as Report), code };
}

/** An indexed demo, and its node behind a proxy that can fail. */
type IndexedDemo = { local: LocalChain; stack: Stack; proxy: RpcProxy; verified: Verified };

type DemoPlan = {
  chain?: Parameters<typeof startDemoChain>[0];
  /** Settings of the index, by the proxy's URL. */
  env?: (proxyUrl: string) => Record<string, string>;
};

/** Sets one up for the tests of a file: it is there once they run, and answers each without a fault. */
export function prepareDemo({ chain, env: envOf = () => ({}) }: DemoPlan = {}): IndexedDemo {
  const demo = {} as IndexedDemo;
  beforeAll(async () => {
    demo.local = await startDemoChain(chain);
    const { anvil, deployment } = demo.local;
    demo.proxy = await startRpcProxy(anvil.url);
    const env = envOf(demo.proxy.url);
    demo.stack = await startStack({ rpcUrl: anvil.url, deployment, env });
    await demo.stack.waitForHead();
    const { databaseUrl } = demo.stack;
    demo.verified = { databaseUrl, rpcUrl: demo.proxy.url, deployment, env };
  });
  beforeEach(() => {
    demo.proxy.fault = () => undefined;
    demo.proxy.recorded = [];
  });
  afterAll(async () => {
    await demo.proxy?.kill();
    await demo.stack?.destroy();
    await demo.local?.anvil.stop();
  });
  return demo;
}

/** An account that owns nothing. */
export const dead = "0x000000000000000000000000000000000000dead";

/** Changes a column of a name: the name, the column, and how. */
const inDomains = (column: string, value: string, name: string) =>
  [name, column, `update domains set ${column} = ${value} where full_name = '${name}'`] as const;

/** Each plants a difference in a name of the demo; the last one hides the records of alice.eth. */
export const plantsInDomains = [
  inDomains("registry_owner", `'${dead}'`, "moved.eth"),
  inDomains("is_migrated", "false", "grace.eth"),
  inDomains("registrar_owner", `'${dead}'`, "multi-one.eth"),
  inDomains("registrar_expiry_timestamp", "registrar_expiry_timestamp + 1", "multi-two.eth"),
  inDomains("wrapper_owner", "null", "sub.wrapped.eth"),
  inDomains("wrapper_fuses", "0", "wrapped.eth"),
  inDomains("wrapper_expiry_timestamp", "5", "wrapped-agent.eth"),
  inDomains("is_wrapped", "true", "legacy.eth"),
  inDomains("effective_owner_address", `'${dead}'`, "reborn.eth"),
  inDomains("expiry_timestamp", "null", "premium.eth"),
  inDomains("labelhash", "node", "bound.eth"),
  inDomains("label", "'agents'", "agent.eth"),
  inDomains("resolver", `'${dead}'`, "alice.eth"),
];

/** Changes rows without Ponder and the counters noticing: their triggers are disabled. */
export const changeRows = <Row extends pg.QueryResultRow>(
  { databaseUrl, schema }: Pick<Stack, "databaseUrl" | "schema">,
  text: string,
  values?: unknown[],
): Promise<Row[]> =>
  withClient(
    {
      connectionString: databaseUrl,
      options: `-c search_path=${schema} -c session_replication_role=replica`,
    },
    async (client) => (await client.query<Row>(text, values)).rows,
  );
