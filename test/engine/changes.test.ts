import { execFile } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Change, changePonder } from "../../engine/change.ts";
import { changes, usualChanges } from "../../engine/changes/index.ts";
import { linearQueue } from "../../engine/changes/linearQueue.ts";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import { PONDER_VERSION, ponderFiles } from "../../engine/ponderFiles.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lines that an edit adds: a call with its arguments, or a few words within a closure of Ponder. */
const MAX_LINES = 9;

type Outcome = { code: number; stdout: string; stderr: string };

/** Runs Node with these flags on a line of JavaScript. */
const runNode = (flags: readonly string[], code: string): Promise<Outcome> =>
  promisify(execFile)(process.execPath, [...flags, "--input-type=module", "--eval", code]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Outcome) => ({ code, stdout, stderr }),
  );

/** Every choice of at most `most` of them, in their order. */
const choicesOf = <One>(all: readonly One[], most: number): One[][] => [
  [],
  ...(most === 0
    ? []
    : all.flatMap((one, i) => choicesOf(all.slice(i + 1), most - 1).map((rest) => [one, ...rest]))),
];

describe("the changes to Ponder", () => {
  test("each edits a file, and says what is wrong, what that costs and what is done about it", () => {
    for (const { edits, ...words } of changes) {
      expect(edits.length, words.name).toBeGreaterThan(0);
      for (const [word, text] of Object.entries(words)) expect(text, `${words.name}: ${word}`).not.toBe("");
    }
  });

  test("compose: up to two of them, and all but up to two, can be applied, and only to the files that they name", () => {
    const few = choicesOf(changes, 2);
    const most = few.map((left) => changes.filter((change) => !left.includes(change)));
    for (const chosen of [...few, ...most]) {
      const files = new Set(chosen.flatMap(({ edits }) => edits.map(({ file }) => file)));
      expect(new Set(changePonder(chosen).keys())).toEqual(files);
    }
  });

  test("every known file of Ponder is changed by one of them", () => {
    expect([...changePonder(changes).keys()].toSorted()).toEqual(ponderFiles.toSorted());
  });

  test("one that finds another text than it expects fails by its name", () => {
    const twice: Change = { ...linearQueue, name: "twice" };
    expect(() => changePonder([linearQueue, twice])).toThrow(
      /The change twice expects this text 2 times in Ponder's utils\/queue\.js, and finds it 0 times/,
    );
  });

  test("have no more than a few lines of code in their text: the rest is in modules", () => {
    for (const { name, edits } of changes) {
      for (const { from, to } of edits) {
        const before = new Set(from.split("\n"));
        const added = to.split("\n").filter((line) => !before.has(line));
        expect(added.length, `${name}: ${to}`).toBeLessThanOrEqual(MAX_LINES);
      }
    }
  });

  test("import modules that have what they name", async () => {
    const texts = changes.flatMap(({ edits }) => edits.map(({ to }) => to)).join("\n");
    const imports = [...texts.matchAll(/import \{ ([\w, ]+) \} from "(file:[^"]+)"/g)];
    expect(imports.length).toBeGreaterThan(15);
    for (const [, names = "", module = ""] of imports) {
      const exported = Object.keys(await import(module));
      expect(exported, module).toEqual(expect.arrayContaining(names.split(", ")));
    }
  });
});

describe("the loader", () => {
  const noted = "console.log(globalThis.namedexChanges.join())";

  test("loads the usual changes without a word", async () => {
    const names = usualChanges.map(({ name }) => name).join();
    expect(await runNode(nodeFlags(), noted)).toEqual({ code: 0, stdout: `${names}\n`, stderr: "" });
  });

  test("says loudly which changes are left out", async () => {
    const { code, stdout, stderr } = await runNode(nodeFlags([linearQueue]), noted);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "linearQueue\n" });
    expect(stderr).toMatch(
      /^WARNING: Ponder runs WITHOUT the changes blocksWithLogs, quickCache, synchronousCommit\b/,
    );
  });

  test("refuses the name of a change that does not exist", async () => {
    const { code, stderr } = await runNode(nodeFlags([{ ...linearQueue, name: "quickQueue" }]), "");
    expect(code).toBe(1);
    expect(stderr).toContain('There is no change "quickQueue"');
  });
});

describe("with another text of Ponder", () => {
  const project = mkdtempSync(join(tmpdir(), "namedex-ponder-"));
  const ponder = join(project, "node_modules/ponder");
  const loader = join(project, "engine/load.ts");

  beforeAll(() => {
    cpSync(join(root, "engine"), join(project, "engine"), { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    cpSync(join(root, "node_modules/ponder/package.json"), join(ponder, "package.json"));
    for (const file of ["index.js", ...ponderFiles]) {
      const path = join("dist/esm", file);
      cpSync(join(root, "node_modules/ponder", path), join(ponder, path));
    }
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test("the start fails, and names the file, the versions and the remedy", async () => {
    expect(await runNode(["--import", loader], "")).toMatchObject({ code: 0, stderr: "" });
    const manifest = readFileSync(join(ponder, "package.json"), "utf8");
    writeFileSync(join(ponder, "package.json"), manifest.replace(`"${PONDER_VERSION}"`, '"0.99.0"'));
    appendFileSync(join(ponder, "dist/esm/utils/queue.js"), "\n");
    const { code, stdout, stderr } = await runNode(["--import", loader], "console.log('started')");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Namedex cannot start\.\nPonder's file utils\/queue\.js is not the one/);
    expect(stderr).toMatch(
      /expected: ponder 0\.17\.7, SHA-256 27f4[\s\S]*found: {4}ponder 0\.99\.0, SHA-256 /,
    );
    expect(stderr).toMatch(/"npm ci"[\s\S]*docs\/ponder\.md/);
    expect(stderr).not.toContain("node:internal");
  });
});
