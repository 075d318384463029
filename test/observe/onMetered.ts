import { request } from "node:http";
import { expect, test } from "vitest";
import type { DevnetGateway } from "../../devnet/gateway.ts";
import type { Stack } from "../support/stack.ts";

/** Metrics and log of an indexer that logs every request; callers are identified by `X-Forwarded-For`. */
export function describeObservation(stackOf: () => Stack, gatewayOf: () => DevnetGateway): void {
  const metrics = async () => (await fetch(`${stackOf().metricsUrl}/index-metrics`)).text();

  /** Value of a sample; 0 if it does not exist yet. */
  const sample = (text: string, name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1) ?? 0,
    );

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${stackOf().url}${path}`, { headers: { "X-Forwarded-For": "198.51.100.8", ...headers } });

  test("live answers, their calls and their sources are counted", async () => {
    for (let i = 0; i < 2; i++) expect((await ask("/whois/anything.offchain.eth")).status).toBe(200);
    await gatewayOf().stop();
    expect((await ask("/whois/another.offchain.eth")).status).toBe(502);
    const text = await metrics();
    expect(sample(text, 'namedex_live_questions_total{from="chain"}')).toBeGreaterThan(0);
    expect(sample(text, 'namedex_live_questions_total{from="store"}')).toBeGreaterThan(0);
    expect(sample(text, 'namedex_live_failures_total{step="gateway"}')).toBe(1);
    expect(sample(text, 'namedex_live_calls_total{to="node"}')).toBeGreaterThan(1);
    expect(sample(text, 'namedex_live_calls_total{to="gateway"}')).toBeGreaterThan(0);
  });

  test("admissions are counted by way and outcome", async () => {
    for (let i = 0; i < 6; i++) await ask("/whois/alice.eth"); // Three of the five free requests are used, one of them in vain.
    await ask("/whois/alice.eth", { "X-API-Key": "ens_wrong" });
    const text = await metrics();
    expect(sample(text, 'namedex_admissions_total{way="free",outcome="answered"}')).toBe(4);
    expect(sample(text, 'namedex_admissions_total{way="free",outcome="RATE_LIMITED"}')).toBe(4);
    expect(sample(text, 'namedex_admissions_total{way="key",outcome="INVALID_API_KEY"}')).toBe(1);
  });

  test("the log names operations of slow queries, and no key", async () => {
    const log = stackOf().log();
    expect(log).toContain('"message":"request"');
    expect(log).not.toContain("ens_wrong");
    await expect
      .poll(
        async () => {
          await fetch(`${stackOf().url}/ens-stats/distribution`);
          await fetch(`${stackOf().url}/search-domains?q=ali`);
          return stackOf().log();
        },
        { timeout: 30_000 },
      )
      .toMatch(
        /"operation":"GET \/(ens-stats\/distribution|search-domains|whois\/\{name\})","ms":\d+,"sql":"/,
      );
  });

  test("an ambiguous path is rejected: a proxy could read another path than we do", async () => {
    const statusOf = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        // `fetch` would replace backslashes with slashes.
        const asked = request(stackOf().url, { path }, (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        });
        asked.on("error", reject).end();
      });
    expect(await statusOf("/indexing-status")).toBe(200);
    expect(await statusOf("/x\\..\\indexing-status")).toBe(400);
  });
}
