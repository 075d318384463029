import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { domain } from "ponder:schema";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGateway } from "../gateway/gateway.ts";
import { account, registeredRow, STATIC_RESOLVER } from "../query/rows.ts";
import { type Wired, wireService } from "./wired.ts";

/*
 * The explorer and the calendars of a metered service behind a gateway: the visitor is whoever the
 * gateway saw.
 */

const EXPIRY = 1_800_100_000n;
const owner = account(0xa11ce);

let wired: Wired;
let server: Server;
let gateway: GatewayProcess;

beforeAll(async () => {
  wired = await wireService({ ACCESS: "metered", TRUSTED_PROXIES: "2" });
  const rows = ["alice.eth", "bob.eth"].map((name) =>
    registeredRow(name, owner, EXPIRY, { resolver: STATIC_RESOLVER }),
  );
  await wired.tables.writer.insert(domain).values(rows);
  server = serve({ fetch: wired.app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = await startGateway([{ url }], { GATEWAY_TRUSTED_PROXIES: "1" });
  await gateway.until("synced");
});
afterAll(async () => {
  await gateway?.stop();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  await wired?.close();
});

let visitors = 0;

/** A visitor with a separate address, as a browser asks. */
function visitor() {
  const address = `203.0.113.${++visitors}`;
  return async (path: string) => {
    const headers = { accept: "text/html", "x-forwarded-for": address };
    const reply = await fetch(`${gateway.url}${path}`, { headers });
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
}

test("each operation of a page uses one of its visitor's free requests, and the page says when they are used up", async () => {
  const open = visitor();
  for (let i = 0; i < 2; i++) {
    const { status, text } = await open("/explore/name/alice.eth");
    expect([status, text.includes("<h1>")]).toEqual([200, true]);
  }
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await open("/explore/name/alice.eth")).status);
  expect(statuses.at(-1)).toBe(429);
  const refused = await open("/explore/name/bob.eth");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.text).toContain("Your free requests are used up");
  expect(refused.text).toMatch(/Try again in \d+ seconds/);
  const search = await open("/explore/search");
  expect([search.status, Number(search.headers.get("retry-after")) > 0]).toEqual([429, true]);
  // Another visitor has separate requests.
  expect((await visitor()("/explore/name/bob.eth")).status).toBe(200);
});

/** A browser with cookies that submits the form on the page for used-up requests. */
async function useKey(key: string, back: string, address: string) {
  const reply = await fetch(`${gateway.url}/explore/key`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": address },
    body: new URLSearchParams({ key, back }),
  });
  const cookie = reply.headers.get("set-cookie") ?? "";
  return { status: reply.status, location: reply.headers.get("location"), cookie };
}

test("the page for used-up requests accepts a key, and returns to where the visitor was", async () => {
  const address = "203.0.113.200";
  const open = async (path: string, cookie = "") => {
    const headers = { accept: "text/html", "x-forwarded-for": address, cookie };
    const reply = await fetch(`${gateway.url}${path}`, { headers });
    return { status: reply.status, text: await reply.text() };
  };
  for (let i = 0; i < 5; i++) await open("/explore/name/alice.eth?view=history");
  const refused = await open("/explore/name/alice.eth?view=history");
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('href="signup"');
  expect(refused.text).toContain('name="back" value="explore/name/alice.eth?view=history"');
  const { key } = await wired.keys.create({
    label: "a visitor",
    owner: null,
    credits: 100,
    reason: "for a test",
  });
  const used = await useKey(key, "explore/name/alice.eth?view=history", address);
  expect([used.status, used.location]).toEqual([303, "../explore/name/alice.eth?view=history"]);
  expect(used.cookie).toMatch(/^namedex_key=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
  const [cookie = ""] = used.cookie.split(";");
  expect((await open("/explore/name/alice.eth?view=history", cookie)).status).toBe(200);
  // Operations take no cookie: another site could send it.
  expect((await open("/whois/alice.eth", cookie)).status).toBe(429);
  const unknown = await open("/explore/name/alice.eth", "namedex_key=ens_wrong");
  expect(unknown.status).toBe(401);
  expect(unknown.text).toContain("Forget my key");
});

test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "explore/\\evil", "signup", ""])(
  "a key redirects nowhere else: %s",
  async (back) => {
    const { location, cookie } = await useKey("", back, "203.0.113.201");
    expect(location).toBe("../");
    expect(cookie).toMatch(/^namedex_key=; Max-Age=0/);
  },
);

test("pages of free operations are not counted, and open when the requests are used up", async () => {
  const open = visitor();
  for (let i = 0; i < 5; i++) await open("/whois/alice.eth");
  expect((await open("/whois/alice.eth")).status).toBe(429);
  for (const path of ["/", "/explore/statistics", "/explore/statistics/holders.csv", "/explore/status"]) {
    const { status, text } = await open(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toContain("used up");
  }
});

test("opening free pages leaves the free requests as they were", async () => {
  const open = visitor();
  for (let i = 0; i < 8; i++) expect((await open("/explore/statistics")).status).toBe(200);
  const { headers } = await open("/whois/alice.eth");
  expect(headers.get("ratelimit")).toContain(";r=4;");
});

test("a calendar and a file are counted, and say that the requests are used up", async () => {
  const open = visitor();
  const calendar = await open(`/address/${owner}/expiries.ics`);
  expect([calendar.status, calendar.headers.get("content-type")]).toEqual([
    200,
    "text/calendar; charset=utf-8",
  ]);
  expect(calendar.headers.get("ratelimit")).toContain(";r=4;");
  const names = await open(`/explore/address/${owner}/names.csv`);
  expect([names.status, names.text.split("\r\n").length]).toEqual([200, 4]);
  for (let i = 0; i < 3; i++) expect((await open("/domain/alice.eth/expiry.ics")).status).toBe(200);
  expect((await open("/domain/alice.eth/expiry.ics")).status).toBe(429);
  const refused = await open(`/explore/address/${owner}/names.csv`);
  expect([refused.status, refused.headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"]);
  expect(refused.text).toContain("used up");
});

test("every file of a page is served through the gateway", async () => {
  const open = visitor();
  const { text, headers } = await open("/explore/statistics");
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  const files = [...text.matchAll(/(?:href|src)="(explore\/assets\/[^"]+)"/g)].map(([, url]) => url);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) expect([file, (await open(`/${file}`)).status]).toEqual([file, 200]);
});
