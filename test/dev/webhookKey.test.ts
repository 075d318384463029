import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { webhookKeyFor } from "../../devnet/webhookKey.ts";

const home = mkdtempSync(join(tmpdir(), "namedex-webhook-key-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test("npm run dev makes a key for webhooks, and keeps it", () => {
  const made = webhookKeyFor(home, {});
  expect(made.WEBHOOK_SECRET_KEY).toMatch(/^[0-9a-f]{64}$/);
  expect(webhookKeyFor(home, {})).toEqual(made);
});

test.each([{ WEBHOOK_SECRET_KEY: "a" }, { DATABASE_URL: "postgresql://given" }, { FEED: "off" }])(
  "none is made with %j",
  (given) => {
    expect(webhookKeyFor(home, given)).toEqual({});
  },
);
