import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { deploymentShape, roles } from "../../abis/deployments.ts";
import { version } from "../../src/api/server/http/openapi.ts";
import { projectFiles, root } from "../support/projectFiles.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");

const documents = projectFiles.filter((file) => file.endsWith(".md"));

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

const anchorsOf = (file: string): string[] =>
  [...withoutCode(read(file)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** Why a relative link leads nowhere; null if it resolves. */
function faultOf(from: string, link: string): string | null {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? from : join(dirname(from), path);
  if (!existsSync(join(root, target))) return `${from}: ${link} names no file`;
  if (anchor === undefined || anchorsOf(target).includes(anchor)) return null;
  return `${from}: ${link} names no heading of ${target}`;
}

describe("links", () => {
  test.each(documents)("every relative link of %s resolves", (file) => {
    const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const relative = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(relative.map((link) => faultOf(file, link)).filter((fault) => fault !== null)).toEqual([]);
  });

  test("a link to a missing file or heading is detected", () => {
    expect(faultOf("README.md", "docs/nowhere.md")).toContain("names no file");
    expect(faultOf("README.md", "docs/settings.md#nowhere")).toContain("names no heading");
    expect(faultOf("README.md", "docs/settings.md#network")).toBeNull();
  });
});

/** Folders directly inside a folder. */
const foldersOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

test("docs/architecture.md explains every room", () => {
  const text = read("docs/architecture.md");
  const top = foldersOf(".").filter(
    (name) => projectFiles.some((file) => file.startsWith(`${name}/`)) && !name.startsWith("."),
  );
  const rooms = [
    ...top.filter((name) => name !== "src").map((name) => `\`${name}/\``),
    ...foldersOf("src")
      .filter((name) => name !== "api")
      .map((name) => `\`src/${name}/\``),
    ...["server", "names", "features"].flatMap((storey) =>
      foldersOf(`src/api/${storey}`).map((name) => `\`src/api/${storey}/${name}/\``),
    ),
    "`src/api/upkeep/`",
  ];
  expect(rooms.filter((room) => !text.includes(room))).toEqual([]);
});

test("the files named in docs/architecture.md and CONTRIBUTING.md exist", () => {
  const named = ["docs/architecture.md", "CONTRIBUTING.md"].flatMap((file) =>
    [...read(file).matchAll(/`((?:src|abis|bench|devnet|engine|ops|settings|test|docs)\/[\w./-]*)`/g)].map(
      ([, path = ""]) => path,
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every npm script named in a document exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/npm run (?:-s |--silent )?([a-z][\w:]*)/g)].map(([, name = ""]) => name),
  );
  expect(named).toContain("dev");
  expect([...new Set(named)].filter((name) => scripts[name] === undefined)).toEqual([]);
});

test("the deployment file in docs/deployments.md is valid", () => {
  const [, json = ""] = /```json\n([\s\S]*?)```/.exec(read("docs/deployments.md")) ?? [];
  expect(deploymentShape.parse(JSON.parse(json)).name).toBe("private");
});

test("docs/deployments.md names every role of a contract", () => {
  const text = read("docs/deployments.md");
  expect(roles.filter((role) => !text.includes(`\`${role}\``))).toEqual([]);
});

test("test/README.md explains every folder of tests, and no other", () => {
  const explained = [...read("test/README.md").matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, name]) => name);
  expect(explained.toSorted()).toEqual(foldersOf("test").toSorted());
});

test("`npm run test:full` omits no project and no test file", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const projects = [...read("vitest.config.ts").matchAll(/\bname: "(\w+)"/g)].map(([, name]) => name);
  const run = ["test", "test:slow", "test:long"].flatMap((script) =>
    [...(scripts[script] ?? "").matchAll(/--project (\w+)/g)].map(([, name]) => name),
  );
  expect(projects.length).toBeGreaterThan(0);
  expect(run.sort()).toEqual(projects.sort());
  const tests = projectFiles.filter((file) => /\.test\.tsx?$/.test(file));
  expect(tests.filter((file) => !/^test\/.*\.test\.ts$/.test(file))).toEqual([]);
});

test("the README is short, and keeps the two commands for a newcomer", () => {
  const lines = read("README.md").split("\n");
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines).toContain("npm ci && npm run dev");
  expect(lines).toContain("npm ci && npm test");
});

test("the program, its client, its lock file and the changelog have the same version", () => {
  const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;
  const [, newest] = /^## \[(\d+\.\d+\.\d+)\]/m.exec(read("CHANGELOG.md")) ?? [];
  const versions = ["package.json", "package-lock.json", "client/package.json"].map(versionIn);
  expect(new Set([...versions, newest])).toEqual(new Set([version]));
});
