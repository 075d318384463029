import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles, root } from "../support/projectFiles.ts";

const run = (benchmark: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, "bench", benchmark, "run.ts"), ...args], { encoding: "utf8" });

/** Options that documents use, for each command that runs a benchmark. */
const documented = projectFiles
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(/\bbench:(\w+) -- ([^`#\n]*)/g)])
  .map(([, benchmark = "", rest = ""]) => ({ benchmark, options: rest.match(/--\w+/g) ?? [] }));

const help = new Map<string, ReturnType<typeof run>>();

/** The output of `--help`, from one run of each program. */
function helpOf(benchmark: string) {
  const printed = help.get(benchmark) ?? run(benchmark, "--help");
  help.set(benchmark, printed);
  return printed;
}

test.each(["api", "index", "labels", "export", "gateway", "hostile", "feed", "gate"])(
  "npm run bench:%s -- --help lists the options, including those in the documents",
  (benchmark) => {
    const { status, stdout } = helpOf(benchmark);
    expect(status).toBe(0);
    expect(stdout).toContain(`npm run bench:${benchmark} -- [options]`);
    const used = documented.filter((command) => command.benchmark === benchmark);
    for (const option of used.flatMap(({ options }) => options)) expect(stdout).toContain(`  ${option} `);
  },
);

// One of them stands for all: the code that lists the options also reads them.
test.each([
  [["--nonsense"], "Unknown option '--nonsense'"],
  [["--json"], "'--json <value>' argument missing"],
  [["--names", "many"], '--names is "many": expected a number'],
])("%j is rejected with the list of options", (options, message) => {
  const refused = run("index", ...options);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(message);
  expect(refused.stderr).toContain(helpOf("index").stdout);
});

test("the documents show how to run benchmarks", () => {
  expect(documented.length).toBeGreaterThan(5);
});
