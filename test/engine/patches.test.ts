import { execFile, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parsePatch } from "diff";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PONDER_VERSION } from "../../engine/ponderModule.ts";
import { type Patch, patches, patchPlain } from "./ponders.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lines that one hunk of a patch adds: a call with its arguments, or a few words within a closure of Ponder. */
const MAX_LINES = 12;

describe("the patches of Ponder", () => {
  test("apply in order, without any tolerance, and produce the installed code", () => {
    for (const [file, text] of patchPlain(patches, 0)) {
      expect(readFileSync(join(root, "node_modules/ponder", file), "utf8"), file).toBe(text);
    }
  });

  test("apply each alone, and in order with each of them left out", () => {
    // Lists all failing patches: those to adapt to another version of Ponder.
    const failed = (chosen: readonly Patch[]): string[] => {
      try {
        patchPlain(chosen);
        return [];
      } catch (error) {
        return [String(error)];
      }
    };
    expect(patches.flatMap((patch) => failed([patch]))).toEqual([]);
    expect(patches.flatMap((patch) => failed(patches.filter((other) => other !== patch)))).toEqual([]);
  });

  test("that no longer match the source are named", () => {
    const [, second] = patches;
    if (second === undefined) throw new Error("there is no second patch");
    expect(() => patchPlain([second, second], 0)).toThrow(
      "The patch logSync does not apply to Ponder's dist/esm/sync-historical/index.js",
    );
  });

  test("add a few lines at a place; the rest is in modules", () => {
    for (const { name, text } of patches) {
      for (const { hunks } of parsePatch(text)) {
        for (const { lines } of hunks) {
          const added = lines.filter((line) => line.startsWith("+"));
          expect(added.length, `${name}: ${added.join("\n")}`).toBeLessThanOrEqual(MAX_LINES);
        }
      }
    }
  });

  test("import modules that export what they name", async () => {
    const texts = patches.map(({ text }) => text).join("\n");
    const imports = [...texts.matchAll(/^\+import \{ ([\w, ]+) \} from '(?:\.\.\/)+(engine\/[^']+)'/gm)];
    expect(imports.length).toBeGreaterThan(15);
    for (const [, names = "", module = ""] of imports) {
      const exported = Object.keys(await import(join(root, module)));
      expect(exported, module).toEqual(expect.arrayContaining(names.split(", ")));
    }
  });

  test("are described in docs/ponder.md, each with what shows that it is needed", () => {
    const page = readFileSync(join(root, "docs/ponder.md"), "utf8");
    const entries = page.split(/^### /m).slice(1);
    const described = entries.flatMap(
      (entry) => /^\[\w+\]\(\.\.\/(patches\/.+\.patch)\)/.exec(entry)?.[1] ?? [],
    );
    expect(described.toSorted()).toEqual(patches.map(({ file }) => file));
    const proofs = ["trials.ts", "plain/modules.full.test.ts"].map((file) =>
      readFileSync(join(root, "test/engine", file), "utf8"),
    );
    const isProven = ({ name }: Patch) =>
      existsSync(join(root, `bench/index/cases/${name}.ts`)) ||
      proofs.some((text) => new RegExp(`(?:patch: |expectFault\\(\\s*)"${name}"`).test(text));
    // requireNode has nothing of Ponder's to mend: its test is below.
    const unproven = patches.filter((patch) => !isProven(patch)).map(({ name }) => name);
    expect(unproven).toEqual(["requireNode"]);
  });

  test("match the version of Ponder in package.json", () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(dependencies.ponder).toBe(PONDER_VERSION);
    for (const { file } of patches)
      expect(file).toMatch(new RegExp(`^patches/ponder\\+${PONDER_VERSION}\\+\\d{3}\\+`));
  });
});

describe("Ponder's own command", () => {
  const program = join(root, "node_modules/.bin/ponder");

  test("is the patched Ponder's, not that of ponder-plain", () => {
    expect(realpathSync(program)).toBe(
      realpathSync(join(root, "node_modules/ponder/dist/esm/bin/ponder.js")),
    );
  });

  test("says which Node.js it needs if that cannot load TypeScript", () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--no-experimental-strip-types", program, "--version"],
      { encoding: "utf8" },
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(`Namedex needs Node.js 22.18 or later, and this is ${process.version}.`);
    expect(stderr).toContain("npx ponder dev");
  });
});

describe("an installation", () => {
  const project = mkdtempSync(join(tmpdir(), "namedex-patches-"));
  const ponder = join(project, "node_modules/ponder");
  const last = join(project, patches.at(-1)?.file ?? "");

  const install = () => {
    const { status, stderr } = spawnSync(process.execPath, ["patches/apply.js"], {
      cwd: project,
      encoding: "utf8",
    });
    return { status, stderr };
  };
  /** Why a command stops, in the words of `requirePatchedPonder`; an empty text if it continues. */
  const start = async () => {
    const code = `(await import("./patches/applied.js")).requirePatchedPonder(); console.log("started");`;
    return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: project,
    }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );
  };

  beforeAll(() => {
    mkdirSync(join(project, "node_modules"));
    cpSync(join(root, "patches"), join(project, "patches"), { recursive: true });
    cpSync(join(root, "package.json"), join(project, "package.json"));
    symlinkSync(join(root, "node_modules/patch-package"), join(project, "node_modules/patch-package"));
    cpSync(join(root, "node_modules/ponder-plain"), ponder, { recursive: true });
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test("without scripts leaves Ponder unpatched, and each command stops with the remedy", async () => {
    expect(await start()).toBe(
      'Namedex cannot start.\nThe installed Ponder lacks the changes in patches/: it was installed with --ignore-scripts. Run "npm ci".\n',
    );
  });

  test("applies all patches, once", async () => {
    expect(install()).toEqual({ status: 0, stderr: "" });
    expect(await start()).toBe("started\n");
    expect(install()).toEqual({ status: 0, stderr: "" });
  });

  test("over other patches fails, and names the remedy", async () => {
    appendFileSync(last, "\n");
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toContain('Run "npm ci": "npm install" cannot replace them.');
    expect(await start()).toContain('Run "npm ci"');
  });

  test("of the image has the patches before npm runs", () => {
    const [before = ""] = readFileSync(join(root, "Dockerfile"), "utf8").split(
      "RUN ./docs/deploy/install.sh",
    );
    expect(before).toMatch(/^COPY .* patches \.\/patches$/m);
  });

  test("that finds no patch fails", () => {
    for (const { file } of patches) rmSync(join(project, file));
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toContain("The folder patches/ holds no patch.");
  });
});
