import { setTimeout as sleep } from "node:timers/promises";
import { type Address, type Hex, stringToHex, toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ActReverted,
  addController,
  addressOf,
  type Chain,
  dnsEncode,
  ethNode,
  hashLabel,
  mineBlocks,
  read,
  registerByHash,
  send,
  useOldRegistrar,
} from "../../devnet/acts.ts";
import { archived, create, startDeployment, toContracts } from "../../devnet/deployer.ts";
import { SETTLING_BLOCKS, startLocalChain } from "../../devnet/localChain.ts";
import { runVerify } from "../ops/runVerify.ts";
import { openPool } from "../support/database.ts";
import { type Cast, lower, type Stage, stageOf } from "./stage.ts";

/*
 * Claims to short names (2019), by the real contract. Those of one contract are in the past when the index starts; those of
 * another arrive live. Their e-mail addresses are on the chain, and nowhere else.
 */

/** Nothing is cached from a development chain (31337). */
const CHAIN_ID = 4_242;
const EMAIL = "who@mail.example";

/** A contract of claims, and the letter with which the names claimed there begin. */
const ofPast = { contract: "claims2019", letter: "p" };
const ofLive = { contract: "claimsLive", letter: "q" };

/** What the contract kept, and the price of each name that it registered. */
type Kept = { total: bigint; prices: Record<string, bigint> };

let stage: Stage;
let kept: { past: Kept; live: Kept };

async function play(
  chain: Chain,
  { deployer, alice, bob, carol, dave, erin, frank }: Cast,
  { contract, letter }: typeof ofPast,
): Promise<Kept> {
  const paidFor = async (id: Hex) =>
    (await read<[Hex, Address, bigint, number]>(chain, { contract, functionName: "claims", args: [id] }))[2];
  const call = (from: Address, functionName: string, ...args: unknown[]) =>
    send(chain, { from, contract, functionName, args });
  const submit = async (form: string, by: Address, label: string, dns: string[]): Promise<Hex> => {
    const packet = dnsEncode(dns);
    const args = [packet, by, EMAIL];
    await send(chain, { from: by, contract, functionName: `submit${form}Claim`, args, value: 10n ** 18n });
    const named = [label, packet, by, EMAIL];
    return read<Hex>(chain, { contract, functionName: "computeClaimId", args: named });
  };
  const named = (label: string) => `${letter}${label}`;
  const won = await submit("Exact", alice, named("yes"), [named("yes"), "test"]);
  const lost = await submit("Exact", bob, named("yes"), [named("yes"), "example"]);
  const prefixed = await submit("Prefix", carol, named("pi"), [`${named("pi")}eth`, "test"]);
  const gone = await submit("Combined", dave, named("gone"), [named("go"), "ne"]);
  const early = await submit("Exact", erin, named("soon"), [named("soon"), "test"]);
  const left = await submit("Exact", frank, named("left"), [named("left"), "test"]);
  // As on mainnet, the registrar adds the contract when it already has claims.
  const controller = addressOf(chain, contract);
  await addController(chain, { from: deployer, registrar: "oldRegistrar", controller });
  await call(frank, "withdrawClaim", left);
  await call(deployer, "closeClaims");
  const register = (label: string, owner: Address) =>
    registerByHash(chain, { from: deployer, label, owner, registrar: "oldRegistrar" });
  await register(named("soon"), erin);
  // The second status of a claim replaces the first.
  await call(deployer, "setClaimStatus", lost, true);
  await call(deployer, "setClaimStatuses", [], [lost]);
  await call(deployer, "setClaimStatuses", [won, prefixed, gone, early], []);
  await call(alice, "ratifyClaims");
  await call(dave, "withdrawClaim", gone);
  await register(named("gone"), dave);
  const prices = { [named("yes")]: await paidFor(won), [named("pi")]: await paidFor(prefixed) };
  const balance = () => chain.client.getBalance({ address: deployer });
  const before = await balance();
  await call(alice, "resolveClaims", [lost, won]);
  await call(alice, "resolveClaim", prefixed);
  await expect(call(alice, "resolveClaim", early)).rejects.toThrow(ActReverted);
  return { total: (await balance()) - before, prices };
}

beforeAll(async () => {
  const local = await startLocalChain({ chainId: CHAIN_ID });
  const [deployer = "0x", alice = "0x"] = local.chain.accounts;
  const later = await startDeployment(local.chain.client);
  const parts = ["priceOracle1", "oldRegistrar"].map((name) => addressOf(local.chain, name));
  for (const { contract } of [ofPast, ofLive])
    await create(later, contract, archived("ethregistrar/ShortNameClaims"), [...parts, alice]);
  const chain: Chain = { ...local.chain, contracts: { ...local.chain.contracts, ...toContracts(later) } };
  await useOldRegistrar(chain, { from: deployer, registrar: "oldRegistrar" });
  const listed = [ofPast, ofLive].map(({ contract }) => ({
    role: "short-name-claims" as const,
    generation: 1,
    address: addressOf(chain, contract),
    startBlock: 0,
  }));
  const { deployment } = local;
  const contracts = [...deployment.contracts, ...listed];
  let past: Kept | undefined;
  stage = await stageOf(
    { ...local, chain, deployment: { ...deployment, contracts } },
    {
      env: { ENS_NETWORK: "custom" },
      before: async (_, cast) => {
        past = await play(chain, cast, ofPast);
        await mineBlocks(chain, { count: SETTLING_BLOCKS });
      },
    },
  );
  const live = await play(chain, stage.cast, ofLive);
  // Live blocks are cached once as many again have come on top of the unfinalised ones.
  await mineBlocks(chain, { count: 2 * SETTLING_BLOCKS });
  kept = { past: past as Kept, live };
});
afterAll(() => stage?.close());

describe.each([
  ["past", ofPast],
  ["live", ofLive],
] as const)("claims that are %s", (when, { contract, letter }) => {
  const ofName = async (label: string) => {
    type History = { registrations: { cost_wei: string | null; owner_address: string }[] };
    const { body } = await stage.stack.api<History>(`/domain/${letter}${label}.eth/registration-history`);
    return body.registrations.map(({ cost_wei, owner_address }) => [
      cost_wei,
      lower(owner_address as Address),
    ]);
  };

  test("are prices of the names that they got, to the wei", async () => {
    const { alice, carol } = stage.cast;
    const { prices, total } = kept[when];
    expect(total).toBeGreaterThan(0n);
    expect(Object.values(prices).reduce((sum, price) => sum + price, 0n)).toBe(total);
    expect(await ofName("yes")).toEqual([[String(prices[`${letter}yes`]), lower(alice)]]);
    expect(await ofName("pi")).toEqual([[String(prices[`${letter}pi`]), lower(carol)]]);
  });

  test("are not prices of names registered by another controller", async () => {
    const { dave, erin } = stage.cast;
    expect(await ofName("gone")).toEqual([[null, lower(dave)]]);
    expect(await ofName("soon")).toEqual([[null, lower(erin)]]);
  });

  test("reveal labels, even if the claim fails", async () => {
    for (const label of ["yes", "pi", "gone", "soon", "left"]) {
      const rows = await stage.sql("select label from labels where labelhash = $1", [
        hashLabel(`${letter}${label}`),
      ]);
      expect(rows).toEqual([{ label: `${letter}${label}` }]);
    }
  });

  test("are events of their names, with claimant and state", async () => {
    const node = ethNode(`${letter}yes`);
    const rows = await stage.sql<Record<string, string>>(
      `select event_type, name, from_address, anomaly, details from events
       where contract = 'SHORT_NAME_CLAIMS' and contract_address = $1 and node = $2 order by block_number, log_index`,
      [lower(addressOf(stage.chain, contract)), node],
    );
    const { alice, bob } = stage.cast;
    const [price] = Object.values(kept[when].prices);
    expect(rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details ?? "") }))).toEqual([
      ...[alice, bob].map((by, i) => ({
        event_type: "ClaimSubmitted",
        name: `${letter}yes.eth`,
        from_address: lower(by),
        anomaly: null,
        details: {
          claimId: expect.any(String),
          dnsname: dnsEncode([`${letter}yes`, ["test", "example"][i] as string]),
          paid: String(price),
        },
      })),
      ...[
        [bob, "approved"],
        [bob, "declined"],
        [alice, "approved"],
      ].map(([by, status]) => ({
        event_type: "ClaimStatusChanged",
        name: null,
        from_address: lower(by as Address),
        anomaly: null,
        details: { claimId: expect.any(String), status },
      })),
    ]);
  });
});

test("are part of sums of sales", async () => {
  const total = kept.past.total + kept.live.total;
  const sales = await stage.sql("select sum(cost_wei)::text as sum, count(*)::int from controller_sales");
  expect(sales).toEqual([{ sum: String(total), count: 4 }]);
  type Sums = { periods: { registration_cost_wei: string }[] };
  const { status, body } = await stage.stack.api<Sums>("/ens-stats/purchases");
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining(`"${total}"`)]);
});

describe("an e-mail address", () => {
  const isCached = async () => {
    const topic = toEventSelector("ClaimSubmitted(string,bytes,uint256,address,string)");
    const rows = await stage.sql("select from namedex_cache.logs where topic0 = $1", [topic]);
    return rows.length === 12;
  };
  beforeAll(async () => {
    while (!(await isCached())) await sleep(200);
  }, 60_000);

  test("is in no database row, including the cache, and in no log line", async () => {
    const { databaseUrl, log } = stage.stack;
    const pool = openPool({ connectionString: databaseUrl });
    try {
      const { rows } = await pool.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)'`,
      );
      expect(rows.length).toBeGreaterThan(60);
      for (const { name } of rows) {
        const { rowCount } = await pool.query(`select from ${name} as one where one::text ~* $1`, [
          `${EMAIL}|${stringToHex(EMAIL).slice(2)}`,
        ]);
        expect([name, rowCount]).toEqual([name, 0]);
      }
    } finally {
      await pool.end();
    }
    expect(log()).not.toContain(EMAIL);
  });

  test("makes no difference between cache and node", async () => {
    const { local, stack } = stage;
    const verified = {
      databaseUrl: stack.databaseUrl,
      rpcUrl: local.anvil.url,
      deployment: local.deployment,
      env: { ENS_NETWORK: "custom" },
    };
    const { out, code } = await runVerify(verified, ["--logs", "--json"]);
    expect({ code, report: JSON.parse(out) }).toMatchObject({
      code: 0,
      report: { complete: true, differences: [] },
    });
  });
});
