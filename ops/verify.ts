import { readFileSync } from "node:fs";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readSettings } from "../settings/settings.ts";
import { interruption, type Result, runProgram } from "./commandLine/runProgram.ts";
import { chainOf } from "./verify/chains.ts";
import { compareFigures, readFigures, reportFigures } from "./verify/figures.ts";
import { readOptions, usage } from "./verify/options.ts";
import { FAILED } from "./verify/outcome.ts";
import { refetch } from "./verify/refetch.ts";
import { verify } from "./verify/run.ts";
import { verifyLogs } from "./verify/runLogs.ts";

// `npm run verify`: compares the index with what the contracts answer. Exit codes: 0 equal, 1 different, 2 not known.

const line = process.argv.slice(2);
const hideIn = [process.stdout, process.stderr];

await runProgram(
  {
    env: process.env,
    help: line.includes("--help") ? usage : null,
    hideIn,
    failure: "The comparison failed.",
    codeOf: () => FAILED,
  },
  async (env): Promise<Result> => {
    const options = readOptions(line);
    // The URL of the command line may have a key too.
    if (options.url !== null) hideSecrets({ ...env, RPC_URL_0: options.url }, hideIn);
    const settings = readSettings(env);
    const signal = interruption(FAILED);
    if (options.refetch !== null) {
      const { chainId } = chainOf(settings.deployment, options.chainId);
      return { text: await refetch(settings, { ...options.refetch, chainId }) };
    }
    if (options.figures !== null) {
      const { databaseUrl, schema, deployment } = settings;
      const figures = readFigures(readFileSync(options.figures, "utf8"));
      return reportFigures(await compareFigures({ databaseUrl, schema, deployment }, figures));
    }
    const run = { options, settings, signal };
    return options.isOfLogs ? verifyLogs(run) : verify(run);
  },
);
