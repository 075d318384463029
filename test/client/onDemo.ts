import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { createNamedex } from "namedex-client";
import { createPublicClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../src/api/endpoints/index.ts";
import { openApiDocument } from "../../src/api/http/openapi.ts";
import type { Stage } from "../chain/stage.ts";
import { demoNames } from "../devnet/demo.ts";
import { askInBrowser, chromiumPath } from "./browser.ts";
import { type InstalledClient, installClient, writeApplication } from "./package.ts";
import { askClient, askDirectly, questionsOf } from "./questions.ts";

/** What a page loads, all modules together, each compressed by itself. */
const MAX_PROGRAM_BYTES = 20 * 1_024;

/** Times and progress differ between two requests. */
const isChanging = (group: string) => group === "Statistics" || group === "System";

/** An answer without the second in which it was made: calendars say it (RFC 5545, DTSTAMP). */
const withoutStamp = (answer: unknown): unknown =>
  typeof answer === "string" ? answer.replaceAll(/^DTSTAMP:.*$/gm, "DTSTAMP") : answer;

/** The client on the demo: as a program of this project uses it, and as an application has it that installed its package. */
export function describeClient(stageOf: () => Stage): void {
  const url = () => stageOf().stack.url;

  describe("the TypeScript client", () => {
    const questions = questionsOf(openApiDocument(operations)).map((one) => [one.method, one] as const);

    test.each(questions)("%s answers as HTTP does", async (_, question) => {
      await stageOf().stack.waitForHead();
      const [answer, direct] = [await askClient(url(), question), await askDirectly(url(), question)];
      expect(answer).not.toHaveProperty("error");
      if (isChanging(question.group))
        expect(Object.keys(answer as object)).toEqual(Object.keys(direct as object));
      else expect(withoutStamp(answer)).toEqual(withoutStamp(direct));
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

    test("is small, and has nothing but the program, its types and its documents", () => {
      const programs = client.files.filter((path) => path.endsWith(".js"));
      const sizes = programs.map((path) => gzipSync(readFileSync(join(client.packageFolder, path))).length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_PROGRAM_BYTES);
      const others = client.files.filter((path) => !/^dist\/.+\.(js|d\.ts)$/.test(path));
      expect(others.sort()).toEqual(["LICENSE", "README.md", "examples/usePrimaryName.ts", "package.json"]);
      const manifest = JSON.parse(readFileSync(join(client.packageFolder, "package.json"), "utf8"));
      expect(manifest.dependencies).toBeUndefined();
      for (const path of programs) {
        const text = readFileSync(join(client.packageFolder, path), "utf8");
        const imported = [...text.matchAll(/\bfrom\s*["']([^"']+)["']/g)].map(([, from]) => from);
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

    test("extends a client of viem", async () => {
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
