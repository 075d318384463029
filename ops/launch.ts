import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { memoryFor, nodeFlags } from "../engine/nodeFlags.ts";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { readSettings, type Settings, SettingsError } from "../settings/settings.ts";
import { prepareDatabase } from "./checks/database.ts";
import { checkLiveUrls, checkPayments, checkRpcUrls } from "./checks/rpc.ts";
import { keepViews } from "./release/keepViews.ts";
import { describeStall, type Stall, watchIndexer } from "./watchdog.ts";

// `npm start` (indexer and API) and `npm run serve` (API alone, any number beside one indexer).
// Checks the settings before Ponder does, whose complaints are stack traces, and passes signals on.

type Command = "start" | "serve";

const accessNotes: Record<Settings["access"], string> = {
  open: "Access is open: whoever reaches the port is answered, without limit. ACCESS=metered asks for keys.",
  metered: "Access is metered: keys are made by npm run keys -- create.",
};

try {
  loadEnvironmentFiles();
  const settings = readSettings(process.env);
  const command = readCommand(process.argv[2]);
  await requireFreePort(settings.port);
  if (command === "start") await Promise.all([prepareDatabase(settings.databaseUrl), checkRpcUrls(settings)]);
  await Promise.all([checkLiveUrls(settings), checkPayments(settings)]);
  console.log(accessNotes[settings.access]);
  const child = startPonder(command, settings);
  if (command === "start") keepViewsOf(child, settings);
  passSignalsAndEnd(child, watchOf(command, settings));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(`Namedex cannot start.\n${error.message}`);
  process.exitCode = 1;
}

function readCommand(word: string | undefined): Command {
  if (word === "start" || word === "serve") return word;
  throw new SettingsError(`"${word ?? ""}" is no command: expected start or serve, for example npm start`);
}

/** Ponder would quietly take the next free port, and whoever asks at this one would meet a stranger. */
function requireFreePort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", ({ code }: NodeJS.ErrnoException) => {
      const remedy = "stop the program that has it or choose another, for example PORT=42070";
      reject(new SettingsError(`PORT is ${port}, which cannot be used (${code}): ${remedy}`));
    });
    probe.listen(port, () => probe.close(() => resolve()));
  });
}

function startPonder(command: Command, { schema, port }: Settings): ChildProcess {
  const program = fileURLToPath(new URL("./bin/ponder.js", import.meta.resolve("ponder")));
  const root = fileURLToPath(new URL("..", import.meta.url));
  const args = [program, command, "--root", root, "--schema", schema, "--port", String(port)];
  const memory = command === "start" ? memoryFor(memoryHere(), process.env) : { flags: [], env: {} };
  const views = ["--import", new URL("../engine/ownViews.ts", import.meta.url).href];
  return spawn(process.execPath, [...nodeFlags(), ...views, ...memory.flags, ...process.execArgv, ...args], {
    stdio: "inherit",
    env: { ...process.env, ...memory.env },
  });
}

/** Exit code of a process that its supervisor should start again. */
const START_AGAIN = 75;
/** Ponder ends within 5 seconds of a request; one that hangs is killed. */
const KILL_AFTER_MS = 10_000;

/** Memory of the machine, or of the container if that has less. */
function memoryHere(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/**
 * Ponder gives its lock on the schema back after SIGINT only, so every request to stop becomes one; after SIGTERM
 * the next start would wait 25 seconds. Its exit code is ours: 75 says "start me again", 1 "do not".
 */
function passSignalsAndEnd(child: ChildProcess, watch: Watch | null): void {
  let hasStalled = false;
  const stopWatching = watch?.((stall) => {
    hasStalled = true;
    console.error(describeStall(stall));
    child.kill("SIGINT");
    setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      stopWatching?.();
      child.kill("SIGINT");
    });
  }
  child.on("exit", (code) => process.exit(hasStalled ? START_AGAIN : (code ?? 1)));
}

/** Replicas have no right to make views. */
function keepViewsOf(child: ChildProcess, settings: Settings): void {
  const stop = keepViews({ ...settings, say: (line) => console.log(line) });
  child.on("exit", stop);
}

type Watch = (onStall: (stall: Stall) => void) => () => void;

/** Replicas index nothing that could stand still. */
function watchOf(command: Command, settings: Settings): Watch | null {
  const { databaseUrl, schema, rpcUrls, watchdogSeconds } = settings;
  if (command === "serve" || watchdogSeconds === null) return null;
  return (onStall) =>
    watchIndexer({ databaseUrl, schema, rpcUrls, patienceSeconds: watchdogSeconds, onStall });
}
