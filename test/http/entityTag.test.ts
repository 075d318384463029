import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import { entityTagOf, namesTag } from "../../src/api/server/http/entityTag.ts";
import { createTestApp } from "../support/app.ts";

const said = { value: "one" };
let asked = 0;

const shared = { group: "System", summary: "What is said", index: "not read", cost: 0 } as const;
const reply = z.strictObject({ value: z.string() });
const handle = async () => {
  asked++;
  return { value: said.value };
};
const operations = [
  endpoint({ ...shared, method: "get", path: "/said", reply, handle }),
  endpoint({ ...shared, method: "post", path: "/said", reply, handle }),
  endpoint({ ...shared, method: "get", path: "/secret", reply, isPrivate: true, handle }),
];
const app = createTestApp({ operations });

const ask = (path: string, known?: string, init: RequestInit = {}) =>
  app.request(path, { ...init, headers: known === undefined ? {} : { "If-None-Match": known } });

test("an answer has a tag of its content, and is not sent again to a client that has it", async () => {
  said.value = "one";
  const first = await ask("/said");
  const tag = first.headers.get("ETag") ?? "";
  expect([first.status, tag]).toEqual([200, entityTagOf(await first.text())]);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const again = await ask("/said", known);
    expect([again.status, await again.text(), again.headers.get("ETag")]).toEqual([304, "", tag]);
    expect(again.headers.get("Cache-Control")).toBe("no-cache");
  }
  expect((await ask("/said", tag, { method: "HEAD" })).status).toBe(304);
  said.value = "two";
  const changed = await ask("/said", tag);
  expect([changed.status, await changed.json()]).toEqual([200, { value: "two" }]);
  expect(changed.headers.get("ETag")).not.toBe(tag);
});

test("a request with a known tag is executed and counted like any other", async () => {
  const tag = (await ask("/said")).headers.get("ETag") ?? "";
  const before = asked;
  for (let i = 0; i < 3; i++) expect((await ask("/said", tag)).status).toBe(304);
  expect(asked).toBe(before + 3);
});

test("a POST is always answered in full, and private answers have no tag", async () => {
  const init = { method: "POST" };
  const posted = await app.request("/said", {
    ...init,
    headers: { "content-type": "application/json", "If-None-Match": "*" },
    body: "{}",
  });
  expect(posted.status).toBe(200);
  const secret = await ask("/secret", "*");
  expect([secret.status, secret.headers.get("ETag")]).toEqual([200, null]);
});

test("an error has no tag and is never a 304", async () => {
  const missing = await ask("/nothing", "*");
  expect([missing.status, missing.headers.get("ETag")]).toEqual([404, null]);
});

test("an If-None-Match header of any form either names the tag or does not", () => {
  const tag = entityTagOf("x");
  for (const header of ["", ",", "W/", tag.slice(1), `${tag}x`, `"${tag}"`, tag.replaceAll('"', "")]) {
    expect(namesTag(header, tag), header).toBe(false);
  }
  expect(namesTag(`${'"a",'.repeat(2_000)}${tag}`, tag)).toBe(true);
});
