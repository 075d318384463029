import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generateClient, generatedFolder } from "./generate.ts";

/** Text of each file of a folder, by its path in it. */
function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

test("the client is generated from this API: `npm run client:generate` writes it after a change", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "namedex-client-")), "openapi");
  try {
    await generateClient(folder);
    const now = filesOf(folder);
    expect(Object.keys(now)).toContain("sdk.gen.ts");
    const before = filesOf(generatedFolder);
    expect(Object.keys(before)).toEqual(Object.keys(now));
    const changed = Object.keys(now).filter((file) => before[file] !== now[file]);
    expect(changed, "run npm run client:generate").toEqual([]); // Their texts are long.
  } finally {
    rmSync(join(folder, ".."), { recursive: true });
  }
});
