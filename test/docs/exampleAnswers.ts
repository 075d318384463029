import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { listOperations } from "../../src/api/features/pages/described.ts";
import { exampleAnswers } from "../../src/api/features/pages/reference/answers.ts";
import { exampleRequest } from "../../src/api/features/pages/reference/examples.ts";
import { type Endpoint, nameOf } from "../../src/api/server/http/endpoint.ts";
import type { OpenApiDocument } from "../../src/api/server/http/routes.ts";
import type { Stage } from "../chain/stage.ts";
import { operations } from "../support/operations.ts";
import { root } from "../support/projectFiles.ts";

const FILE = join(root, "src/api/features/pages/reference/answers.json");
const BIOME = join(root, "node_modules/.bin/biome");

const HOW_TO_RECORD = `Record them: UPDATE_DOCS=1 npx vitest run test/chain/demo.test.ts -t "example answers"`;

/** Entries of a list, and characters of a text, that an example shows. */
const MOST_ENTRIES = 2;
const MOST_CHARACTERS = 300;
const MOST_LINES = 24;

/** An answer, short enough to be read: the first entries of each list, and the beginning of long texts. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    const lines = value.split("\n").slice(0, MOST_LINES).join("\n");
    return value.includes("\n") || value.length <= MOST_CHARACTERS
      ? lines
      : `${value.slice(0, MOST_CHARACTERS)}…`;
  }
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

/**
 * The reference's example answers, as the demo gives them. Times, and what depends on them, differ from day to day, so an example
 * must have the fields of the demo's current answer, not its values. `UPDATE_DOCS=1` writes those whose fields differ.
 */
export function describeExamples(stageOf: () => Stage): void {
  const ask = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json", connection: "close" };
    const sent = body && { method: "POST", headers, body: JSON.stringify(body) };
    const reply = await fetch(`${stageOf().stack.url}/${path}`, sent);
    const text = await reply.text();
    const isJson = reply.headers.get("content-type")?.startsWith("application/json");
    return { status: reply.status, answer: isJson ? JSON.parse(text) : text };
  };

  describe("the example answers of the reference", () => {
    test("are on the page of their operation", async () => {
      const { answer } = await ask("docs/get_whois_by_name");
      expect(answer).toContain("Example from the demo");
      expect(answer).toContain("&quot;availability_status&quot;: &quot;registered&quot;");
    });

    test("match those of the demo", async () => {
      const document = (await ask("openapi.json")).answer as OpenApiDocument;
      const byName = new Map<string, Endpoint>(operations.map((one) => [nameOf(one), one]));
      const recorded: Record<string, unknown> = {};
      const refused: unknown[] = [];
      for (const listed of listOperations(document)) {
        const endpoint = byName.get(`${listed.method} ${listed.path}`);
        if (endpoint === undefined || endpoint.needsKey) continue;
        const { path, body } = exampleRequest(listed);
        const { status, answer } = await ask(path, listed.method === "POST" ? (body ?? {}) : undefined);
        if (status !== 200) refused.push([listed.operation.operationId, status, answer]);
        else recorded[listed.operation.operationId] = shortened(answer);
      }
      expect(refused).toEqual([]);
      const [shown, now] = [fieldsOfEach(exampleAnswers), fieldsOfEach(recorded)];
      if (process.env.UPDATE_DOCS) {
        const isSame = (id: string) => isDeepStrictEqual(shown[id], now[id]);
        const written = Object.entries(recorded).map(([id, answer]) => [
          id,
          isSame(id) ? exampleAnswers[id] : answer,
        ]);
        writeFileSync(FILE, JSON.stringify(Object.fromEntries(written), null, 2));
        execFileSync(BIOME, ["format", "--write", FILE]);
      } else expect(shown, HOW_TO_RECORD).toEqual(now);
    });
  });
}

const fieldsOfEach = (answers: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(answers).map(([id, answer]) => [id, fieldsOf(answer)]));

/** The field names of an answer. */
const fieldsOf = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null ? Object.keys(answer).sort() : typeof answer;
