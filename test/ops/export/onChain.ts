import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mineBlocks } from "../../../devnet/acts.ts";
import type { Manifest } from "../../../ops/export/manifest.ts";
import { bareEnvironment } from "../../support/environment.ts";
import { historiesOf, playSteps } from "../../truth/steps.ts";
import { type Outcome, runProgram } from "../programs.ts";
import { SETTLING_BLOCKS, type SnapshotStage } from "../snapshot/stage.ts";
import { waitFor } from "../versions.ts";

/** Exports while other activity is indexed. */
const MOST_BESIDE = 3;

/**
 * Beside other test files there is no idle time: a low-priority export would wait until they end.
 */
const atOnce = ["--priority", "normal"];

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));

/**
 * The demo's index beside its indexer, exported and checked by the program operators run. It adds
 * activity to the chain.
 */
export function exportsOfAChain(stageOf: () => SnapshotStage): void {
  describe("exports beside an indexer", () => {
    let top: string;
    let env: Record<string, string>;

    const runExport = (...args: string[]): Promise<Outcome> =>
      runProgram("export.ts", [...args, ...atOnce], env);

    beforeAll(async () => {
      const { environment, source, local } = stageOf();
      top = mkdtempSync(join(tmpdir(), "namedex-exports-"));
      env = {
        ...environment(source.databaseUrl),
        RPC_URL_31337: local.anvil.url,
      };
    });

    afterAll(async () => {
      if (top !== undefined) rmSync(top, { recursive: true, force: true });
    });

    test("the demo is exported and equals the index", async () => {
      const folder = join(top, "demo");
      const written = await runExport("--to", folder, "--tables", "all");
      expect(written.stderr).toMatch(/^Writing rows: [\d,]+ rows in \d+ (s|min), /m);
      expect(written.stdout).toMatch(/has \d+ tables, [\d,]+ rows in \d+ files, .* at block \d+ of \S+\.\n$/);
      expect(written.code).toBe(0);
      const checked = await runExport("--check", folder);
      expect(checked.stdout).toMatch(/rows match the index: .*domains/);
      expect(checked.stdout).not.toContain("Not compared");
      expect(checked.stdout).toMatch(/ matches its manifest\.\n$/);
      expect(checked.code).toBe(0);
    });

    test("exports beside a writing indexer have one block each, and each continues where another ended", async () => {
      const { local, source } = stageOf();
      const [steps = []] = historiesOf({ seed: 7_041, runs: 1, steps: 40 });
      const playing = playSteps(local.chain, "export", steps).then(() =>
        mineBlocks(local.chain, { count: SETTLING_BLOCKS }),
      );
      const folders: string[] = [];
      let isPlaying = true;
      const end = () => {
        isPlaying = false;
      };
      playing.then(end, end);
      while ((isPlaying && folders.length < MOST_BESIDE) || folders.length < 2) {
        const folder = join(top, `beside-${folders.length}`);
        const written = await runExport("--to", folder);
        expect(written.code, written.stderr).toBe(0);
        folders.push(folder);
      }
      await playing;
      await source.waitForHead();
      const last = join(top, "last");
      const older = join(top, "demo", "manifest.json");
      const written = await runExport("--to", last, "--since", older);
      expect(written.code, written.stderr).toBe(0);
      expect(manifestOf(last).chains[0]?.block_number).toBeGreaterThan(
        manifestOf(join(top, "demo")).chains[0]?.block_number ?? 0,
      );
      expect(manifestOf(last).tables.find(({ name }) => name === "events")?.rows).toBeGreaterThan(20);
      for (const folder of [...folders, last]) {
        const checked = await runExport("--check", folder);
        expect(checked.code, checked.stdout).toBe(0);
      }
    });

    type Started = { child: ChildProcess; priority: () => number; ended: Promise<void> };

    function startExport(folder: string, options: readonly string[] = []): Started {
      const program = fileURLToPath(new URL("../../../ops/export.ts", import.meta.url));
      const child = spawn(process.execPath, [program, "--to", folder, ...options], {
        env: { ...bareEnvironment, ...env },
        cwd: top,
        stdio: "ignore",
      });
      const { pid } = child;
      if (pid === undefined) throw new Error("The export did not start");
      return {
        child,
        priority: () => getPriority(pid),
        ended: new Promise((resolve) => child.once("close", () => resolve())),
      };
    }

    test("an export has the machine's lowest priority by default", async () => {
      const { child, priority, ended } = startExport(join(top, "idle"));
      await waitFor(
        async () => priority() === constants.priority.PRIORITY_LOW,
        () => `The export has the priority ${priority()}`,
      );
      child.kill("SIGKILL");
      await ended;
    });

    test("a killed export resumes", async () => {
      const folder = join(top, "killed");
      const { child, priority, ended } = startExport(folder, atOnce);
      const hasFiles = async () =>
        existsSync(join(folder, "unfinished.json")) &&
        readFileSync(join(folder, "unfinished.json"), "utf8").includes("ownership_changes/");
      await waitFor(hasFiles, () => "The export wrote no file");
      expect(priority()).toBe(getPriority());
      child.kill("SIGKILL");
      await ended;
      expect(existsSync(join(folder, "manifest.json"))).toBe(false);
      const early = await runExport("--check", folder);
      expect(early.stderr).toMatch(/manifest\.json: no such file\. If an export was interrupted, run/);
      const written = await runExport("--to", folder);
      expect(written.code, written.stderr).toBe(0);
      const checked = await runExport("--check", folder);
      expect(checked.code, checked.stdout).toBe(0);
    });
  });
}
