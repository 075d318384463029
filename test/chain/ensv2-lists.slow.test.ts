import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  allowReservations,
  buyName,
  type Chain,
  clearInGraveyard,
  freezeV1,
  fundForEnsv2,
  GRACE_V2,
  handOverV1,
  migrateUnwrapped,
  migrateWrapped,
  openEnsv2,
  read,
  readNamePrice,
  registerReferred,
  registerWrapped,
  renewName,
  reserveNames,
  switchToEnsv2,
  tokenIdOf,
  warp,
  warpTo,
  YEAR,
} from "../../devnet/acts.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { askInTime, type Stage, stageOf } from "./stage.ts";

/* Lists and statistics before and after each phase of the change to ENSv2, compared with its contracts (doubles). */

const DAY = 86_400n;
/** Statistics are cached for at most an hour. */
const HOUR = 3_600n;

let stage: Stage;
const cast = () => stage.cast;

beforeAll(async () => {
  const local = await startLocalChain({ contracts: { ensv2: true } });
  stage = await stageOf(local, { before: registerNames });
});
afterAll(() => stage?.close());

/** Names of ENSv1: two unwrapped, one wrapped, and one that ends 91 days before ENSv2 opens. */
async function registerNames(chain: Chain, { alice, bob }: Stage["cast"]): Promise<void> {
  const resolver = "resolver5";
  await registerReferred(chain, { from: alice, label: "lapsed", duration: 28n * DAY, resolver });
  await registerReferred(chain, { from: alice, label: "plain", duration: 3n * YEAR, resolver });
  await registerReferred(chain, { from: alice, label: "waits", duration: 3n * YEAR, resolver });
  await registerWrapped(chain, { from: bob, label: "soft", duration: 3n * YEAR, resolver: "resolver4" });
  await warp(chain, { seconds: 28n * DAY + 91n * DAY });
}

const kept = ["plain", "soft", "waits"].map((label) => ({ label }));

type Item = { name: string; availability_status: string; protocol?: string; expiry_timestamp: string | null };

async function ask<Body>(path: string): Promise<Body> {
  const { status, body } = await askInTime(stage.stack, path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Body;
}

const namesAt = async (path: string) =>
  (await ask<{ results: Item[] }>(path)).results.map(({ name }) => name).sort();

const stateOf = async (label: string): Promise<string> => {
  const { results } = await ask<{ results: Item[] }>(
    `/search-domains?q=${label}&min_length=${label.length}&max_length=${label.length}`,
  );
  const whois = await stage.whois(`${label}.eth`);
  expect(results.map(({ availability_status }) => availability_status)).toEqual([whois.availability_status]);
  return whois.availability_status;
};

/** What the public sees an hour later. */
async function look() {
  await warp(stage.chain, { seconds: HOUR });
  const { alice, bob } = cast();
  const totals = await ask<Record<string, number>>("/ens-stats");
  const states = await ask<{ eth: Record<string, number> }>("/ens-stats/states");
  const { holders } = await ask<{ holders: { address: string }[] }>("/ens-stats/holders");
  const counts = await ask<Record<string, number>>(`/address/${alice}/domain-count`);
  return {
    alice: await namesAt(`/address/${alice}/domains`),
    counted: counts.active_count,
    bob: await namesAt(`/address/${bob}/domains`),
    ensv2: (await namesAt("/search-domains?protocol=ensv2")).filter((name) => name.endsWith(".eth")),
    total: totals.total_domains,
    active: totals.active_domains,
    eth: states.eth,
    keepers: holders.filter(({ address }) =>
      ["graveyard", "unlockedMigration", "lockedMigration"].some(
        (name) => addressOf(stage.chain, name) === address,
      ),
    ),
    lapsed: await stateOf("lapsed"),
  };
}

type View = Awaited<ReturnType<typeof look>>;
let before: View;

describe("lists and statistics", () => {
  test("show ENSv1 before the change", async () => {
    before = await look();
    expect(before).toMatchObject({
      alice: ["plain.eth", "waits.eth"],
      counted: 2,
      bob: ["soft.eth"],
      ensv2: [],
      lapsed: "premium",
      eth: { registered: 3, premium: 1, available: 0 },
      keepers: [],
    });
  });

  test.each([
    [
      "names are reserved",
      async (chain: Chain, from: `0x${string}`) => {
        await allowReservations(chain, { from });
        await reserveNames(chain, { from, names: kept });
      },
    ],
    ["ENSv1 is frozen", (chain: Chain, from: `0x${string}`) => freezeV1(chain, { from })],
    ["ENSv1 is handed over", (chain: Chain, from: `0x${string}`) => handOverV1(chain, { from })],
  ] as const)("stay the same while %s", async (_, phase) => {
    await phase(stage.chain, cast().deployer);
    expect(await look()).toEqual(before);
  });

  test("show no premium for a name unknown to ENSv2 once it is open", async () => {
    const { chain } = stage;
    await openEnsv2(chain, { from: cast().deployer });
    expect((await readNamePrice(chain, { label: "lapsed" })).premium).toBe(0n);
    const { premium = 0, available = 0 } = before.eth;
    before = {
      ...before,
      lapsed: "available",
      eth: { ...before.eth, premium: premium - 1, available: available + 1 },
    };
    expect(await look()).toEqual(before);
  });

  test("show a migrated name once, with its holder in ENSv2", async () => {
    const { chain } = stage;
    const { alice, bob } = cast();
    await migrateUnwrapped(chain, { from: alice, label: "plain" });
    await migrateWrapped(chain, { from: bob, label: "soft", owner: alice });
    before = {
      ...before,
      alice: ["plain.eth", "soft.eth", "waits.eth"],
      counted: 3,
      bob: [],
      ensv2: ["plain.eth", "soft.eth"],
    };
    expect(await look()).toEqual(before);
    expect(await namesAt(`/address/${bob}/previous-domains`)).toEqual(["soft.eth"]);
    const graveyard = addressOf(chain, "graveyard");
    expect(await namesAt(`/address/${graveyard}/domains`)).toEqual([]);
    expect(await namesAt(`/address/${graveyard}/domains?address_type=registrar_owner`)).toEqual([
      "plain.eth",
      "soft.eth",
    ]);
    const { events } = await ask<{ events: { type: string; name: string; owner_address?: string }[] }>(
      "/ens-stats/recent-activity",
    );
    const found = events.filter(
      ({ type, name }) => ["migration", "transfer"].includes(type) && name.endsWith(".eth"),
    );
    expect(found.map(({ type, name, owner_address }) => [type, name, owner_address]).sort()).toEqual([
      ["migration", "plain.eth", getAddress(alice)],
      ["migration", "soft.eth", getAddress(alice)],
    ]);
  });

  test("show prices by token", async () => {
    const { chain } = stage;
    const { alice, bob } = cast();
    for (const account of [alice, bob]) await fundForEnsv2(chain, { account });
    const sold = await ask<Record<string, number>>("/ens-stats");
    const bought = await readNamePrice(chain, { label: "native", token: "usdc" });
    await buyName(chain, { from: bob, label: "native", token: "usdc" });
    await renewName(chain, { from: alice, label: "waits", token: "dai", registrar: "renewerV1" });
    const view = await look();
    expect(view).toMatchObject({
      bob: ["native.eth"],
      ensv2: ["native.eth", "plain.eth", "soft.eth"],
      total: (before.total ?? 0) + 1,
      active: (before.active ?? 0) + 1,
    });
    before = view;
    expect(await ask("/ens-stats")).toMatchObject({
      registrations_7d: (sold.registrations_7d ?? 0) + 1,
      renewals_7d: (sold.renewals_7d ?? 0) + 1,
    });
    const { sellers } = await ask<{ sellers: { contract: string; payments: Record<string, string>[] }[] }>(
      "/ens-stats/sellers",
    );
    const of = (contract: string) => sellers.find((one) => one.contract === contract);
    expect(of("ENSV2_REGISTRAR")).toMatchObject({
      registrations: 1,
      renewals: 0,
      registration_cost_wei: "0",
      payments: [
        {
          token: addressOf(chain, "usdc"),
          registration_amount: (bought.base + bought.premium).toString(),
          renewal_amount: "0",
        },
      ],
    });
    expect(of("ENSV2_RENEWER")).toMatchObject({
      registrations: 0,
      renewals: 1,
      renewal_cost_wei: "0",
      payments: [{ token: addressOf(chain, "dai"), registration_amount: "0" }],
    });
    const expiry = await read<bigint>(chain, {
      contract: "registrar",
      functionName: "nameExpires",
      args: [tokenIdOf("waits")],
    });
    const { results } = await ask<{ results: Item[] }>("/search-domains?q=waits");
    expect(results[0]).toMatchObject({ protocol: "ensv1", expiry_timestamp: expiry.toString() });
  });

  test("show nothing more once ENSv2 is public, nor of names cleared by a graveyard", async () => {
    const { chain } = stage;
    await switchToEnsv2(chain, { from: cast().deployer });
    expect(await look()).toEqual(before);
    const cleared = await clearInGraveyard(chain, { from: cast().alice, names: [["lapsed", "eth"]] });
    expect(cleared.status).toBe("success");
    const view = await look();
    expect(view).toMatchObject({
      alice: before.alice,
      active: before.active,
      keepers: [],
      lapsed: "available",
    });
  });
});

test("a name of ENSv2 changes its state in lists on the second, as in whois", async () => {
  const { chain } = stage;
  const [row] = await stage.sql<{ expiry: string }>(
    "select expiry_timestamp::text as expiry from domains where full_name = 'native.eth'",
  );
  const expiry = BigInt(row?.expiry ?? 0);
  const states = ["registered", "grace", "premium", "available"];
  for (const [i, edge] of [expiry, expiry + GRACE_V2, expiry + GRACE_V2 + 21n * DAY].entries()) {
    for (const [at, state] of [
      [edge - 1n, states[i]],
      [edge, states[i + 1]],
    ] as const) {
      await warpTo(chain, { timestamp: at });
      expect(await stateOf("native"), String(at - expiry)).toBe(state);
    }
  }
  expect(await namesAt(`/address/${cast().bob}/domains`)).toEqual([]);
});
