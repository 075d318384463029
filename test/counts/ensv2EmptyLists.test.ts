import { domain } from "ponder:schema";
import { beforeAll, expect, test } from "vitest";
import { contractsOf } from "../../abis/contracts.ts";
import { deploymentShape } from "../../abis/deployments.ts";
import { mainChain } from "../../src/api/names/query/scope.ts";
import { useApi } from "../query/api.ts";
import { ETH_REGISTRY, ROOT } from "../query/ensv2.ts";
import { account, alice, deployment, domainRow, NOW } from "../query/rows.ts";
import { setProgress, useTables } from "../query/tables.ts";
import { countNames, expectExactCounters } from "./exactCounters.ts";

/* A deployment with ENSv2 whose lists are all empty: no graveyards, no migration controllers, no code of registries. */

const block = deploymentShape.shape.ensv2.parse({
  startBlock: 1,
  rootRegistry: ROOT,
  ethRegistry: ETH_REGISTRY,
  registrars: [account(0x200a)],
  implementations: {},
});
const contracts = contractsOf({ ...deployment, ensv2: block });

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: contracts.chainId, block: 1_000, time: NOW });
  const owned = { registrarOwner: alice, effectiveOwnerAddress: alice };
  await tables.writer.insert(domain).values([
    { ...domainRow("live.eth"), ...owned, expiryTimestamp: BigInt(NOW + 86_400) },
    { ...domainRow("over.eth"), ...owned, expiryTimestamp: BigInt(NOW - 100 * 86_400) },
  ]);
});

test("nonOwners is empty", () => {
  expect(contracts.ensv2?.nonOwners.size).toBe(0);
});

test("the counters are built, and match the rows", async () => {
  await countNames(tables.pool, NOW - 3 * 86_400, contracts.ensv2);
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
  expect(await api.ask(path)).toMatchObject(answer);
});
