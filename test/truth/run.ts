/**
 * `npm run test:truth -- --seed 7 --runs 100 --steps 150`: more random histories than a test run has. The options reach the test
 * through its environment.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const variables: Record<string, string> = {
  seed: "TRUTH_SEED",
  runs: "TRUTH_RUNS",
  steps: "TRUTH_STEPS",
  "shrink-seconds": "TRUTH_SHRINK_SECONDS",
  replay: "TRUTH_REPLAY",
  rpc: "TRUTH_RPC_URL",
  deployment: "TRUTH_DEPLOYMENT",
};

const usage = `npm run test:truth -- [options]
  --seed N            which histories; others each time unless told
  --runs N            how many histories; 20 unless told
  --steps N           how long each is; 150 unless told
  --shrink-seconds N  how long to look for the shortest history that fails; 240 unless told
  --replay FILE       plays one history again, as a failure printed it
  --rpc URL           judges the index of a chain that is already there, without playing on it;
  --deployment FILE   with this deployment file (both also as TRUTH_RPC_URL and TRUTH_DEPLOYMENT)`;

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    seed: text,
    runs: text,
    steps: text,
    "shrink-seconds": text,
    replay: text,
    rpc: text,
    deployment: text,
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log(usage);
} else {
  const given = Object.entries(values).map(([name, value]) => [variables[name] ?? name, String(value)]);
  const vitest = fileURLToPath(new URL("./vitest.mjs", import.meta.resolve("vitest/package.json")));
  const test = fileURLToPath(new URL("./truth.full.test.ts", import.meta.url));
  const child = spawn(process.execPath, [vitest, "run", test], {
    stdio: "inherit",
    env: { ...process.env, ...Object.fromEntries(given) },
  });
  child.once("exit", (code) => process.exit(code ?? 1));
}
