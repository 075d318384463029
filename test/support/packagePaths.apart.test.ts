import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { moduleBeside } from "./packagePathsHook.ts";

const ponder = import.meta.resolve("ponder");
const viem = import.meta.resolve("viem");

/** Loads Ponder, and compares every file that is found without a search with the one that Node finds. */
const comparison = `
  import { registerHooks } from "node:module";
  import { moduleBeside } from "${new URL("./packagePathsHook.ts", import.meta.url)}";
  const seen = { found: 0, wrong: [] };
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const asNode = nextResolve(specifier, context);
      const url = context.conditions.includes("import") ? moduleBeside(specifier, context.parentURL) : undefined;
      if (url === undefined) return asNode;
      seen.found++;
      if (asNode.url !== url || asNode.format !== "module") seen.wrong.push([specifier, context.parentURL]);
      return asNode;
    },
  });
  await import("${new URL("./bin/commands/start.js", ponder)}");
  console.log(JSON.stringify(seen));
  process.exit(0);`;

describe("a file of a package that another one names by its whole path", () => {
  test("is the one that Node finds, in all that Ponder loads", async () => {
    const flags = ["--input-type=module", "--eval", comparison];
    const { stdout } = await promisify(execFile)(process.execPath, flags);
    const { found, wrong } = JSON.parse(stdout);
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(1_000);
  });

  test("is found without a search, if it is an ES module", () => {
    const address = new URL("./utils/address/isAddress.js", viem);
    expect(moduleBeside("./isAddress.js", new URL("./x.js", address).href)).toBe(address.href);
  });

  test("is left to Node where the package has other modules, or the path is no whole one", () => {
    const graphql = import.meta.resolve("graphql");
    expect(moduleBeside("./error/index.js", graphql)).toBeUndefined();
    expect(moduleBeside("./utils", viem)).toBeUndefined();
    expect(moduleBeside("ox", viem)).toBeUndefined();
    // A folder of the package that says otherwise: viem's files for `require`.
    expect(moduleBeside("../_cjs/index.js", viem)).toBeUndefined();
    // Out of the package.
    expect(moduleBeside("../../../x.js", import.meta.url)).toBeUndefined();
    expect(moduleBeside("./x.js", import.meta.url)).toBeUndefined();
    expect(moduleBeside("./x.js", undefined)).toBeUndefined();
  });
});
