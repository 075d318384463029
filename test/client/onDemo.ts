import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { createNamedex } from "namedex-client";
import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoNames } from "../../devnet/demo.ts";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import type { Stage } from "../chain/stage.ts";
import { operations } from "../support/operations.ts";
import { askInBrowser, chromiumPath } from "./browser.ts";
import { comparable, createChecker, foreignFields } from "./comparable.ts";
import { type InstalledClient, installClient, writeApplication } from "./package.ts";
import { askClient, askDirectly, questionsOf } from "./questions.ts";

/** Programs of a page, with the largest size that each may have, bundled and compressed: unused exports are left out. */
const bounds: readonly [entry: string, most: number][] = [
  [`export * from "namedex-client";`, 16 * 1_024],
  [`export { createNamedex } from "namedex-client";`, 16 * 1_024],
  [`export { connect, getWhoisByName } from "namedex-client";`, 8 * 1_024],
  [`export { verify } from "namedex-client";`, 1_536],
  [`export { toDate } from "namedex-client";`, 256],
];

/** Size of a bundle of the package for a program. */
async function sizeOf(packageFolder: string, entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: join(packageFolder, "..", "..") },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    tsconfigRaw: "{}",
  });
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
}

/** Times and progress differ between two requests. */
const isChanging = (group: string) => group === "Statistics" || group === "System";

/** An answer without the second it was made at, which calendars contain (RFC 5545, DTSTAMP). */
const withoutStamp = (answer: unknown): unknown =>
  typeof answer === "string" ? answer.replaceAll(/^DTSTAMP:.*$/gm, "DTSTAMP") : answer;

/** The client on the demo: used by a program of this project, and by an application that installed the package. */
export function describeClient(stageOf: () => Stage): void {
  const url = () => stageOf().stack.url;

  describe("the TypeScript client", () => {
    const check = createChecker(openApiDocument(operations));
    const questions = questionsOf(openApiDocument(operations)).map((one) => [one.method, one] as const);

    test.each(questions)("%s answers as HTTP does", async (_, question) => {
      await stageOf().stack.waitForHead();
      const [answer, direct] = [await askClient(url(), question), await askDirectly(url(), question)];
      expect(answer).not.toHaveProperty("error");
      if (isChanging(question.group))
        expect(Object.keys(comparable(answer) as object)).toEqual(Object.keys(comparable(direct) as object));
      else expect(comparable(withoutStamp(answer))).toEqual(comparable(withoutStamp(direct)));
      expect(check(...question.declared, answer)).toEqual([]);
    });

    test("events have the fields of their type, and no others", async () => {
      const types = new Set<string | undefined>();
      for await (const event of createNamedex({ url: url() }).items("getEvents", { page_size: 200 })) {
        expect(foreignFields(event), JSON.stringify(event.id)).toEqual([]);
        types.add(event.type);
      }
      expect(types.size).toBeGreaterThan(8);
    });

    test("answers questions about names and addresses", async () => {
      const namedex = createNamedex({ url: url() });
      const alice = await namedex.name("alice.eth").whois();
      if (!alice.known) throw new Error("alice.eth is not known");
      expect(alice.expiry_timestamp).toBeTypeOf("bigint");
      expect((await namedex.name("alice.eth").records({ types: "text" })).records?.texts.url).toBe(
        "https://alice.example",
      );
      expect(await namedex.name("alice.eth").text("com.twitter")).toMatchObject({ value: "alice" });
      const subnames: string[] = [];
      for await (const { name } of namedex.name("alice.eth").subnames()) subnames.push(name);
      expect(subnames).toEqual(["pay.alice.eth"]);
      const held: string[] = [];
      for await (const { name } of namedex.address(stageOf().cast.alice).names({ page_size: 2 }))
        held.push(name);
      expect(held).toContain("alice.eth");
      expect(new Set(held).size).toBe(held.length);
    });

    test("types each state with its fields", async () => {
      const namedex = createNamedex({ url: url() });
      const seen = new Set<string>();
      for await (const item of namedex.items("getSearchDomains", { availability_status: "grace,premium" })) {
        seen.add(item.availability_status);
        expect([typeof item.expiry_timestamp, typeof item.grace_end_timestamp]).toEqual(["bigint", "bigint"]);
      }
      expect([...seen].sort()).toEqual(["grace", "premium"]);
    });

    test("reads every page of the demo's names", async () => {
      const found: string[] = [];
      const totals = new Set<number>();
      for await (const { results, total } of createNamedex({ url: url() }).pages("getSearchDomains", {})) {
        found.push(...results.map(({ namehash }) => namehash));
        if (total !== undefined) totals.add(total);
      }
      expect([...totals]).toEqual([new Set(found).size]);
      expect(found.length).toBeGreaterThan(25);
    });

    test("asks for many names and addresses at once", async () => {
      const namedex = createNamedex({ url: url() });
      const names = demoNames.map(({ name }) => name);
      const { results, summary } = await namedex.whoisMany({ names });
      expect([results.length, summary.total]).toEqual([names.length, names.length]);
      const alice = stageOf().cast.alice;
      const found = await namedex.primaryNames({ addresses: [alice] });
      expect(found.results[alice]).toMatchObject({ primary_name: "alice.eth", query: alice });
    });
  });

  describe("the client's package", () => {
    let client: InstalledClient;
    beforeAll(async () => {
      client = await installClient();
    });
    afterAll(() => client?.remove());

    test("is small, and has only the program, its types and its documents", async () => {
      const programs = client.files.filter((path) => path.endsWith(".js"));
      for (const [entry, most] of bounds) {
        expect(await sizeOf(client.packageFolder, entry), entry).toBeLessThanOrEqual(most);
      }
      expect(client.tarballBytes).toBeLessThanOrEqual(90 * 1_024);
      const others = client.files.filter((path) => !/^dist\/.+\.(js|d\.ts)$/.test(path));
      expect(others.sort()).toEqual([
        "LICENSE",
        "README.md",
        "examples/useNames.ts",
        "examples/usePrimaryName.ts",
        "package.json",
      ]);
      const manifest = JSON.parse(readFileSync(join(client.packageFolder, "package.json"), "utf8"));
      expect(manifest.dependencies).toBeUndefined();
      expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
      for (const path of programs) {
        const text = readFileSync(join(client.packageFolder, path), "utf8");
        const imported = [...text.matchAll(/(?<!["'])\bfrom\s*["']([^"']+)["']/g)].map(([, from]) => from);
        expect(
          imported.filter((from) => !from?.startsWith(".")),
          path,
        ).toEqual([]);
      }
    });

    test("answers in plain Node.js", async () => {
      writeApplication(
        client,
        "ask.js",
        `import { createNamedex, InvalidRequestError } from "namedex-client";
const namedex = createNamedex({ url: process.argv[2] });
const { name } = await namedex.getWhoisByName({ name: "alice.eth" });
const error = await namedex.getWhoisByName({ name: "a..b" }).catch((error) => error);
console.log(JSON.stringify([name, error instanceof InvalidRequestError, error.code]));`,
      );
      expect(JSON.parse(await client.node("ask.js", url()))).toEqual(["alice.eth", true, "INVALID_NAME"]);
    });

    test("extends a viem client", async () => {
      const path = pathToFileURL(join(client.packageFolder, "dist/viem.js")).href;
      const { namedexActions } = (await import(path)) as typeof import("namedex-client/viem");
      const transport = http(stageOf().local.anvil.url);
      const extended = createPublicClient({ transport }).extend(namedexActions({ url: url() }));
      expect(await extended.namedex.getWhoisByName({ name: "alice.eth" })).toMatchObject({
        name: "alice.eth",
      });
      expect(await extended.getChainId()).toBe(stageOf().local.deployment.chainId);
    });

    test.runIf(chromiumPath)("works in a browser, on a page of another host", async () => {
      const seen = await askInBrowser(client.packageFolder, url());
      expect(seen).toEqual({ name: "alice.eth", names: 2, code: "INVALID_NAME", faults: [] });
    });
  });
}
