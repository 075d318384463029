import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exampleFile, groups, settingsDocument } from "../../settings/document.ts";
import { projectFiles, root } from "../support/projectFiles.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const testGuide = () => read("test/README.md");

const files = projectFiles.filter((file) => /\.(ts|sh|yaml|service)$|^Dockerfile$/.test(file));

/** Variables that a file reads from the environment, or sets for another program. */
function variablesIn(file: string): string[] {
  const text = read(file);
  const picked = text.matchAll(/\b(?:env|given)\??\.([A-Z][A-Z0-9_]+)\b/g);
  const unpacked = [...text.matchAll(/\{([^{}]*)\}\s*=\s*(?:process\.env|given|env)\b/g)].flatMap(
    ([, names = ""]) => [...names.matchAll(/\b([A-Z][A-Z0-9_]+)\b/g)],
  );
  const substituted = text.matchAll(/\$\{([A-Z][A-Z0-9_]+):/g);
  const assigned = /\.(service|yaml)$/.test(file) ? text.matchAll(/\bEnvironment=([A-Z][A-Z0-9_]+)=/g) : [];
  return [...picked, ...unpacked, ...substituted, ...assigned].map(([, name = ""]) => name);
}

/** Variables of the system, Node, PostgreSQL's image and compose.yaml; no program of ours reads them. */
const others = [
  "PATH",
  "HOME",
  "VITEST_POOL_ID",
  "POSTGRES_PASSWORD",
  "POSTGRES_USER",
  "POSTGRES_DB",
  "PUBLISH",
  "INDEXER_DATABASE_URL",
  "API_DATABASE_URL",
  "API_TRUSTED_PROXIES",
];

const declared = groups.flatMap(({ variables }) => Object.keys(variables));

describe("docs/settings.md and .env.example", () => {
  test.each([
    ["docs/settings.md", settingsDocument],
    [".env.example", exampleFile],
  ])("%s matches the declarations", (file, write) => {
    expect(read(file), "run npm run docs:settings").toBe(write());
  });

  test("every variable that a program reads is explained, and those of tests in test/README.md", () => {
    const readByPrograms = files.filter((file) => !file.startsWith("test/")).flatMap(variablesIn);
    const readByTests = files.filter((file) => file.startsWith("test/")).flatMap(variablesIn);
    const isExplained = (name: string) =>
      [...declared, ...others].includes(name) || /^(RPC_URL|LOG_SOURCE)_\d+$/.test(name);
    expect(readByPrograms.filter((name) => !isExplained(name))).toEqual([]);
    const forTests = readByTests.filter((name) => !isExplained(name));
    expect(forTests.filter((name) => !testGuide().includes(`\`${name}\``))).toEqual([]);
    expect(readByPrograms).toContain("NODE_OPTIONS");
    expect(forTests).toContain("FUZZ_SEED");
  });

  test.each(groups.flatMap(({ variables }) => Object.entries(variables)))(
    "%s has an example that passes its own check, and a description in whole sentences",
    (_, { shape, example, isSecret, meaning }) => {
      expect(isSecret || shape.safeParse(example).success).toBe(true);
      expect(meaning).toMatch(/^[`A-Z][\s\S]*\.$/);
    },
  );
});
