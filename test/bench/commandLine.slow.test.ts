import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFiles, root } from "../support/projectFiles.ts";

const run = (benchmark: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, "test/bench", benchmark, "run.ts"), ...args], { encoding: "utf8" });

/** Options that the documents use, for each command in which a benchmark is run. */
const documented = projectFiles
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(/\bbench:(\w+) -- ([^`#\n]*)/g)])
  .map(([, benchmark = "", rest = ""]) => ({ benchmark, options: rest.match(/--\w+/g) ?? [] }));

describe.each(["api", "index", "labels", "export", "gateway", "hostile", "feed", "gate"])(
  "npm run bench:%s",
  (benchmark) => {
    const help = run(benchmark, "--help");

    test("--help lists the options, those of the documents among them", () => {
      expect(help.status).toBe(0);
      expect(help.stdout).toContain(`npm run bench:${benchmark} -- [options]`);
      const used = documented.filter((command) => command.benchmark === benchmark);
      for (const option of used.flatMap(({ options }) => options))
        expect(help.stdout).toContain(`  ${option} `);
    });

    test.each([
      ["--nonsense", "Unknown option '--nonsense'"],
      ["--json", "'--json <value>' argument missing"],
    ])("%s is refused with the list of the options", (option, message) => {
      const refused = run(benchmark, option);
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain(message);
      expect(refused.stderr).toContain(help.stdout);
    });
  },
);

test("a number that is none is refused", () => {
  expect(run("index", "--names", "many").stderr).toContain('--names is "many": expected a number');
  expect(documented.length).toBeGreaterThan(5);
});
