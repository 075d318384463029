import { expect, test } from "vitest";
import { createExplorer, type ExplorerPlan } from "../../src/api/features/explorer/explorer.ts";
import { MAX_FORM_BYTES } from "../../src/api/features/explorer/keyForm.ts";
import { createTestApp } from "../support/app.ts";
import { cpuOf } from "../support/cpu.ts";

/* The one form that the service accepts: a visitor's key. No other body than JSON is parsed. */

const PUBLIC_URL = "https://names.example";
const explorer = createExplorer({ operations: [], publicUrl: PUBLIC_URL } as unknown as ExplorerPlan);
const app = createTestApp({ operations: [], pages: explorer });

const FORM = "application/x-www-form-urlencoded";
const send = (body: string, headers: Record<string, string> = {}) =>
  app.request("http://own.example/explore/key", {
    method: "POST",
    body,
    headers: { "content-type": FORM, ...headers },
  });
const codeOf = async (reply: Response) => ((await reply.json()) as { error: { code: string } }).error.code;

const megabyte = (part: string) => part.repeat(Math.floor(1_048_576 / part.length));
const parts = (count: number) =>
  `${Array.from({ length: count }, (_, i) => `--b\r\nContent-Disposition: form-data; name="k${i}"\r\n\r\n\r\n`).join("")}--b--\r\n`;

test.each([
  ["a&", FORM],
  ["key=a&", FORM],
  ["a[]=%00&", FORM],
  ["%", FORM],
])("a megabyte of `%s` is refused before it is parsed", async (part, type) => {
  let reply: Response | undefined;
  const cpu = await cpuOf(async () => {
    reply = await send(megabyte(part), { "content-type": type });
  });
  expect([reply?.status, reply && (await codeOf(reply))]).toEqual([400, "LIMIT_EXCEEDED"]);
  expect(cpu).toBeLessThan(500);
});

test.each([
  ["without a boundary", "multipart/form-data", "key=a"],
  ["without headers in its parts", "multipart/form-data; boundary=b", "--b\r\n\r\nx\r\n--b--\r\n"],
  ["cut off", "multipart/form-data; boundary=b", '--b\r\nContent-Disposition: form-data; name="key'],
  ["of many parts", "multipart/form-data; boundary=b", parts(400)],
  ["as text", "text/plain", "key=a"],
])("a multipart form or one of another text type is refused: %s", async (_, type, body) => {
  const reply = await send(body, { "content-type": type });
  expect([reply.status, await codeOf(reply)]).toEqual([400, "INVALID_PARAMETER"]);
});

test("a form of the maximum length is read", async () => {
  const form = `key=ens_key&back=explore/search&rest=`;
  const reply = await send(form.padEnd(MAX_FORM_BYTES, "a"), { origin: "http://own.example" });
  expect([reply.status, reply.headers.get("location")]).toEqual([303, "../explore/search"]);
  expect(reply.headers.get("set-cookie")).toMatch(/^namedex_key=ens_key;/);
  expect((await send(form.padEnd(MAX_FORM_BYTES + 1, "a"))).status).toBe(400);
});

test.each<[string, number, Record<string, string>]>([
  ["another site, as browsers say it", 403, { "sec-fetch-site": "cross-site", origin: "http://own.example" }],
  ["another host of the same domain", 403, { "sec-fetch-site": "same-site" }],
  ["another origin", 403, { origin: "https://evil.example" }],
  ["another port", 403, { origin: "http://own.example:81" }],
  ["a page without an origin", 403, { origin: "null" }],
  ["the service's own page", 303, { "sec-fetch-site": "same-origin", origin: "null" }],
  ["its page at the host that was asked", 303, { origin: "http://own.example" }],
  ["its page behind a proxy that ends TLS", 303, { origin: "https://own.example" }],
  ["its page at the public URL", 303, { origin: PUBLIC_URL }],
  ["a program", 303, {}],
])("a form for a key of %s: %i", async (_, status, headers) => {
  const reply = await send("key=ens_key", headers);
  expect(reply.status).toBe(status);
  expect(reply.headers.has("set-cookie")).toBe(status === 303);
  if (status === 403) expect(await codeOf(reply)).toBe("FORBIDDEN_ORIGIN");
});
