import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keysProgram } from "../../ops/keys/commands.ts";
import { releaseProgram } from "../../ops/release/commands.ts";
import { snapshotProgram } from "../../ops/snapshot/commands.ts";
import { webhooksProgram } from "../../ops/webhooks/commands.ts";
import { operations } from "../support/operations.ts";
import { root } from "../support/projectFiles.ts";
import { commandsOf } from "./page.ts";

// The short form of night.full.test.ts: everything on the operators' pages exists. The long form
// runs it.

const pages = ["docs/operations.md", "docs/when-it-breaks.md", "README.md", "docs/access.md"];
const commands = pages.flatMap(commandsOf);
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

type Shown = { commands: Readonly<Record<string, { words: readonly string[]; options: readonly string[] }>> };
const programs: Record<string, Shown> = {
  keys: keysProgram as unknown as Shown,
  release: releaseProgram as unknown as Shown,
  snapshot: snapshotProgram as unknown as Shown,
  webhooks: webhooksProgram as unknown as Shown,
};

test("each npm command on the pages is one of the project's", () => {
  const named = commands.flatMap((command) => [
    ...[...command.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, script = ""]) => script),
    ...(/npm start\b/.test(command) ? ["start"] : []),
  ]);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
});

test("each has words and options that its program accepts", () => {
  const asked = commands.flatMap((command) => [
    ...command.matchAll(/npm run (keys|release|snapshot|webhooks) -- (\w+)([^&|<>]*)/g),
  ]);
  expect(asked.length).toBeGreaterThan(8);
  for (const [line, program = "", name = "", rest = ""] of asked) {
    const command = programs[program]?.commands[name];
    expect(command, line).toBeDefined();
    const options = [...rest.matchAll(/--([\w-]+)/g)].map(([, option = ""]) => option);
    for (const option of options) expect(command?.options, line).toContain(option);
  }
});

test("each requested path, and each file that is run or copied, exists", () => {
  const paths = [...operations.map(({ path }) => path), "/gateway/status", "/gateway/metrics"];
  const matchers = paths.map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`));
  const asked = commands.flatMap((command) => [
    ...command.matchAll(/curl -s (?:localhost:\d+|<[^>]+>)(\/[^\s'"?]*)/g),
  ]);
  expect(asked.length).toBeGreaterThan(3);
  for (const [line, path = ""] of asked)
    expect(
      matchers.some((one) => one.test(path)),
      line,
    ).toBe(true);
  for (const [, file = ""] of commands.join("\n").matchAll(/(docs\/deploy\/[\w./-]*\w)/g)) {
    expect(existsSync(join(root, file)), file).toBe(true);
  }
});
