import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Change, Group } from "../../engine/change.ts";
import { changes } from "../../engine/changes/index.ts";
import { PONDER_VERSION } from "../../engine/ponderFiles.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const file = join(root, "docs/ponder.md");
const marks = ["<!-- changes -->", "<!-- end of changes -->"] as const;

const ofGroup = (group: Group) => changes.filter((change) => change.group === group);

/** What shows that a change is needed. */
const proofOf = ({ name, group }: Change): string =>
  group === "correct" ? `test/engine/plain/${name}.full.test.ts` : `test/bench/index/cases/${name}.ts`;

/** What the page says of a change. */
const sectionOf = (change: Change): string =>
  [
    `### [${change.name}](../engine/changes/${change.name}.ts)\n`,
    `- **Wrong in Ponder ${PONDER_VERSION}:** ${change.problem}`,
    `- **Cost:** ${change.cost}`,
    `- **Change:** ${change.remedy}`,
    `- **Upstream:** ${change.upstream}`,
    `- **Can go with:** ${change.exit}`,
    `- **${change.group === "correct" ? "Reproduction" : "Bench"}:** [${proofOf(change)}](../${proofOf(change)})`,
  ].join("\n");

const part = [
  "## Correct: without these the index is wrong, leaks or stops",
  ...ofGroup("correct").map(sectionOf),
  "## Fast: without these it takes more time, memory or requests",
  ...ofGroup("fast").map(sectionOf),
].join("\n\n");

test("docs/ponder.md describes each change in the words of its declaration, by its group", () => {
  const page = readFileSync(file, "utf8");
  const [before, rest = ""] = page.split(marks[0]);
  const written = `${before}${marks[0]}\n\n${part}\n\n${marks[1]}${rest.split(marks[1])[1]}`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, written);
  expect(readFileSync(file, "utf8"), "run UPDATE_DOCS=1 npx vitest run test/engine/document.test.ts").toBe(
    written,
  );
});

test("each correct change has a reproduction, and each fast one a bench of its own case", () => {
  expect(changes.map(proofOf).filter((proof) => !existsSync(join(root, proof)))).toEqual([]);
});
