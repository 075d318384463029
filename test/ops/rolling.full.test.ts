import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalChain, startDemoChain } from "../../devnet/localChain.ts";
import { type GatewayProcess, startGateway } from "../gateway/gateway.ts";
import { createTestDatabase } from "../support/database.ts";
import { expectAnswer, keepDoing, prepareVersion, type Version } from "./versions.ts";

const CALLERS_OF_EACH = 4;

let local: LocalChain;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let indexer: Version;
let replicas: Version[];
let gateway: GatewayProcess;

beforeAll(async () => {
  local = await startDemoChain();
  database = await createTestDatabase();
  const { url } = local.anvil;
  const env = { DATABASE_URL: database.url, RPC_URL_31337: url, LIVE_RPC_URL: url };
  indexer = await prepareVersion(local.deployment, env);
  replicas = [
    await prepareVersion(local.deployment, env, "serve"),
    await prepareVersion(local.deployment, env, "serve"),
  ];
  indexer.start();
  await indexer.ready();
  for (const replica of replicas) replica.start();
  await Promise.all(replicas.map((replica) => replica.ready()));
  gateway = await startGateway(replicas, { GATEWAY_MAX_LAG_SECONDS: "1000000000" });
});

afterAll(async () => {
  await gateway?.stop();
  await Promise.all([indexer, ...(replicas ?? [])].map((one) => one?.stop()));
  await database?.drop();
  await local?.anvil.stop();
});

/**
 * A single replica that was held up for three seconds is rightly dropped. Then there is no replica
 * to ask.
 */
let wasLeftForSilence = false;
const unlessHeldUp = { timeout: 400_000, retry: { count: 2, condition: () => wasLeftForSilence } };

test(
  "replicas are restarted one after the other under load, and no request fails",
  unlessHeldUp,
  async () => {
    wasLeftForSilence = false;
    const paths = [
      "/whois/alice.eth",
      "/domain/alice.eth/records",
      "/search-domains?q=alice",
      "/domain/moved.eth/ownership-history",
    ];
    const asked = await Promise.all(
      paths.map(async (path) => ({ path, body: await (await fetch(`${indexer.url}${path}`)).text() })),
    );
    const loads = asked.flatMap(({ path, body }) =>
      Array.from({ length: CALLERS_OF_EACH }, () =>
        keepDoing(() => expectAnswer(`${gateway.url}${path}`, body)),
      ),
    );
    for (const [i, replica] of replicas.entries()) {
      const told = gateway.output().length;
      await replica.stop();
      await sleep(1_000);
      replica.start();
      await replica.ready();
      await gateway.until("synced", "synced");
      const left = `${replicas[1 - i]?.url}: synced -> unreachable (did not report its state within 3 s)`;
      wasLeftForSilence ||= gateway.output().slice(told).includes(left);
    }
    const answered = await Promise.all(loads.map((stop) => stop()));
    expect(answered.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...answered.map(({ times }) => times))).toBeGreaterThan(20);
  },
);
