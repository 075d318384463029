import { domain } from "ponder:schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contractsOf } from "../../abis/contracts.ts";
import { deploymentShape } from "../../abis/deployments.ts";
import { mainChain } from "../../src/api/names/query/scope.ts";
import { openApi, type TestApi } from "../query/api.ts";
import { ETH_REGISTRY, ROOT } from "../query/ensv2.ts";
import { account, deployment, domainRow } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";
import { createCountersSoon, expectExactCounters } from "./exactCounters.ts";

/* A deployment with ENSv2 whose lists are all empty: no graveyards, no migration controllers, no code of registries. */

const NOW = 1_800_000_000;
const alice = account(0xa11ce);
const block = deploymentShape.shape.ensv2.parse({
  startBlock: 1,
  rootRegistry: ROOT,
  ethRegistry: ETH_REGISTRY,
  registrars: [account(0x200a)],
  implementations: {},
});
const contracts = contractsOf({ ...deployment, ensv2: block });

let tables: Tables;
let api: TestApi;

beforeAll(async () => {
  tables = await createTables();
  await setProgress(tables, { chainId: contracts.chainId, block: 1_000, time: NOW });
  const owned = { registrarOwner: alice, effectiveOwnerAddress: alice };
  await tables.writer.insert(domain).values([
    { ...domainRow("live.eth"), ...owned, expiryTimestamp: BigInt(NOW + 86_400) },
    { ...domainRow("over.eth"), ...owned, expiryTimestamp: BigInt(NOW - 100 * 86_400) },
  ]);
  api = openApi(tables, NOW, { contracts });
});
afterAll(() => tables?.drop());

test("nonOwners is empty", () => {
  expect(contracts.ensv2?.nonOwners.size).toBe(0);
});

test("the counters are built, and match the rows", async () => {
  const client = await tables.pool.connect();
  try {
    await createCountersSoon({ client, schema: "public", ensv2: contracts.ensv2 }, NOW - 3 * 86_400);
  } finally {
    client.release();
  }
  const searches = (["registered", "grace", "premium", "available"] as const).map((status) => ({
    availability: [status],
  }));
  await expectExactCounters(tables.db, { chains: mainChain(contracts), now: NOW }, searches);
});

test.each([
  [`/address/${alice}/domains`, { total: 1 }],
  [`/address/${alice}/domains?include_expired=true`, { total: 2 }],
  [`/address/${alice}/summary`, { domain_count: 1 }],
  ["/search-domains?availability_status=premium", { total: 1 }],
  ["/domain/live.eth/ownership-history", { total: 0 }],
  ["/domain/live.eth/registration-history", { total: 0 }],
  ["/ens-stats/states", {}],
  ["/whois/live.eth?partial=true", { availability_status: "registered" }],
])("%s answers", async (path, answer) => {
  const { status, body } = await api.get(path);
  expect({ path, status }).toEqual({ path, status: 200 });
  expect(body).toMatchObject(answer);
});
