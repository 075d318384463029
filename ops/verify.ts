import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readSettings, SettingsError } from "../settings/settings.ts";
import { CommandError } from "./commandLine/command.ts";
import { chainOf } from "./verify/chains.ts";
import { readOptions, usage } from "./verify/options.ts";
import { FAILED } from "./verify/outcome.ts";
import { refetch } from "./verify/refetch.ts";
import { verify } from "./verify/run.ts";
import { verifyLogs } from "./verify/runLogs.ts";

// `npm run verify`: compares the index with what the contracts answer. Exit codes: 0 equal, 1 different, 2 not known.

const line = process.argv.slice(2);

try {
  if (line.includes("--help")) console.log(usage);
  else process.exitCode = await run();
} catch (error) {
  const isKnown = error instanceof CommandError || error instanceof SettingsError;
  console.error(isKnown ? error.message : `The comparison failed: ${(error as Error).stack}`);
  process.exitCode = FAILED;
}

async function run(): Promise<number> {
  const options = readOptions(line);
  loadEnvironmentFiles();
  // The URL of the command line may have a key too.
  hideSecrets({ ...process.env, RPC_URL_0: options.url ?? "" }, [process.stdout, process.stderr]);
  const settings = readSettings(process.env);
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interruption.abort());
  if (options.refetch !== null) {
    const { chainId } = chainOf(settings.deployment, options.chainId);
    console.log(await refetch(settings, { ...options.refetch, chainId }));
    return 0;
  }
  const run = { options, settings, signal: interruption.signal };
  const { text, code } = options.isOfLogs ? await verifyLogs(run) : await verify(run);
  console.log(text);
  return code;
}
