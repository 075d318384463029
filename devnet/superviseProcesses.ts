import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SettingsError } from "../settings/settings.ts";
import { claimRunFile, endChildren, removeRunFile } from "./children.ts";
import { isRunning, markProcess, npmAncestors, type ProcessMark } from "./processes.ts";
import { sayLast, styled } from "./screen.ts";

const LOOK_MS = 500;

/** A program that runs until it is told to end; `open` starts everything and gives the number of the child that must live on. */
export type House = {
  /** Folder of its data; one program at a time keeps it. */
  home: string;
  env: Record<string, string | undefined>;
  open: () => Promise<number>;
};

/**
 * Runs a program with children and leaves nothing behind: Ctrl-C, a signal, the death of npm, a failure and the
 * death of the child that matters all end every child in order. What an earlier, killed run left is ended first.
 */
export async function superviseProcesses({ home, env, open }: House): Promise<void> {
  mkdirSync(home, { recursive: true });
  const ancestors = npmAncestors(env);
  const other = await claimRunFile(join(home, "running.json"), ancestors);
  if (other) return refuse(home, other.runningOwner);
  const end = endOnce(ancestors);
  try {
    const child = markProcess(await open());
    setInterval(
      () => (child && isRunning(child)) || end(1, "A program that Namedex needs has stopped."),
      LOOK_MS,
    );
  } catch (error) {
    await end(1, messageOf(error));
  }
}

function refuse(home: string, owner: number): void {
  console.error(
    `${home} is in use by process ${owner}. Stop it with Ctrl-C in its terminal (or kill ${owner}),`,
  );
  console.error("or use another folder, for example NAMEDEX_HOME=.namedex-2 npm run dev");
  process.exitCode = 1;
}

/** Gives the way to end, which works once, and connects it with all that asks for the end. */
function endOnce(ancestors: ProcessMark[]): (code: number, reason: string) => Promise<void> {
  let isEnding = false;
  let signals = 0;
  const end = async (code: number, reason: string) => {
    if (isEnding) return;
    isEnding = true;
    sayLast(reason);
    await endChildren();
    removeRunFile();
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (++signals > signalsOfRequest(ancestors)) process.exit(1); // The reaper ends what is left.
      void end(0, `\n${styled("dim", "Stopping …")}`);
    });
  }
  setInterval(() => ancestors.every(isRunning) || end(1, "npm has exited."), LOOK_MS).unref();
  process.stdout.on("error", () => {}); // The terminal may be closed before we are.
  return end;
}

/** One Ctrl-C arrives twice under npm: from the terminal and, sooner or later, from npm. What comes after is impatience. */
const signalsOfRequest = (ancestors: ProcessMark[]): number => (ancestors.length > 0 ? 2 : 1);

function messageOf(error: unknown): string {
  const heading = styled("red", "Namedex cannot start.");
  if (error instanceof SettingsError) return `${heading}\n${error.message}`;
  return `${heading}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
