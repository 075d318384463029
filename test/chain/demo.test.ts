import type { Address } from "viem";
import { getEnsName } from "viem/ens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, DAY, ethNode, GRACE, hashLabel, PREMIUM, read, reverseNode } from "../../devnet/acts.ts";
import { demoCast } from "../../devnet/chapters.ts";
import { demoNames, oddLabels } from "../../devnet/demo.ts";
import { startDemoChain } from "../../devnet/localChain.ts";
import { describeClient } from "../client/onDemo.ts";
import { describeExamples } from "../docs/exampleAnswers.ts";
import { describeExplorer } from "../explorer/onDemo.ts";
import { describeTools } from "../mcp/onDemo.ts";
import { endsIn, endsToCome, listOwned, readCalendar } from "../support/calendars.ts";
import {
  expectEveryLogOnce,
  expectRecordsAsOnChain,
  expectWhoisAsOnChain,
  nodeOfShown,
  spelled,
} from "./onChain.ts";
import { lower, namesOf, type Stage, stageOf } from "./stage.ts";

let stage: Stage;
let people: Record<keyof typeof demoCast, Address>;
beforeAll(async () => {
  stage = await stageOf(await startDemoChain());
  const entries = Object.entries(demoCast).map(([who, index]) => [who, stage.chain.accounts[index]]);
  people = Object.fromEntries(entries) as typeof people;
});
afterAll(() => stage?.close());

/** How to ask for a name of the demo: by its hash if its label is not normalised. */
const askedAs = (name: string): string => {
  const label = name.slice(0, -".eth".length);
  return label === oddLabels.unnormalised ? `${spelled(label)}.eth` : name;
};

const whois = (name: string) => expectWhoisAsOnChain(stage, askedAs(name));

/** Seconds until a name expires, counted from the newest block. */
async function secondsLeft(name: string): Promise<bigint> {
  const { timestamp } = await stage.chain.client.getBlock();
  return BigInt((await whois(name)).expiry_timestamp ?? 0) - timestamp;
}

/** The claim of an address for Ethereum's coin type, or another one. */
async function claimOf(address: Address, coinType = 60) {
  const rows = await stage.sql<{ name: string | null; is_name_known: boolean }>(
    "select name, is_name_known from primary_names where address = $1 and coin_type = $2",
    [lower(address), coinType],
  );
  return rows[0];
}

/** Checks of each demo name's meaning. */
const meanings: Record<string, () => Promise<void>> = {
  "alice.eth": async () => {
    const answer = await whois("alice.eth");
    expect(answer).toMatchObject({
      display: "Alice.eth",
      availability_status: "registered",
      ownership: { is_wrapped: false, owner: people.alice, registry: people.alice, registrar: people.alice },
      resolver: { status: "indexed", address: addressOf(stage.chain, "resolver5") },
    });
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver5", name: "alice.eth" });
    expect(records.texts).toEqual({
      avatar: "https://alice.example/avatar.png",
      "com.twitter": "alice",
      description: "Alice shows what a name can hold",
      display: "Alice.eth",
      url: "https://alice.example",
    });
    expect(records.addresses).toEqual({
      60: lower(people.alice),
      0: "0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac",
    });
    expect(records.contenthash).toMatch(/^0xe30101701220[0-9a-f]{64}$/);
    expect(await claimOf(people.alice)).toEqual({ name: "alice.eth", is_name_known: true });
    const bought = (await stage.events("alice.eth")).find(({ contract }) =>
      contract.startsWith("CONTROLLER_"),
    );
    expect(bought).toMatchObject({ event_type: "NameRegistered", referrer: hashLabel("a friend") });
  },
  "pay.alice.eth": async () => {
    expect(await whois("pay.alice.eth")).toMatchObject({
      expiry_timestamp: null,
      availability_status: "registered",
      parent_name: "alice.eth",
      ownership: { is_wrapped: false, owner: people.alice },
    });
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver5", name: "pay.alice.eth" });
    expect(records.addresses).toEqual({ 60: lower(people.alice) });
  },
  "wrapped.eth": async () => {
    expect(await whois("wrapped.eth")).toMatchObject({
      ownership: { is_wrapped: true, owner: people.alice, wrapper: people.alice },
      wrapper: { fuse_names: ["CANNOT_UNWRAP", "CANNOT_SET_TTL", "PARENT_CANNOT_CONTROL", "IS_DOT_ETH"] },
    });
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver4", name: "wrapped.eth" });
    expect(records.texts.description).toBe("a wrapped name");
  },
  "sub.wrapped.eth": async () => {
    const answer = await whois("sub.wrapped.eth");
    expect(answer).toMatchObject({
      ownership: { is_wrapped: true, owner: people.bob },
      wrapper: {
        fuse_names: ["CANNOT_UNWRAP", "PARENT_CANNOT_CONTROL"],
        expiry_timestamp: answer.expiry_timestamp,
      },
    });
    const left = await secondsLeft("sub.wrapped.eth");
    expect([left > 299n * DAY, left <= 300n * DAY]).toEqual([true, true]);
  },
  "grace.eth": async () => {
    expect(await whois("grace.eth")).toMatchObject({
      availability_status: "grace",
      ownership: { owner: people.alice },
    });
    const over = -(await secondsLeft("grace.eth"));
    expect([over > 29n * DAY, over < 31n * DAY]).toEqual([true, true]);
  },
  "premium.eth": async () => {
    expect((await whois("premium.eth")).availability_status).toBe("premium");
    const over = -(await secondsLeft("premium.eth"));
    expect([over > 94n * DAY, over < 96n * DAY]).toEqual([true, true]);
  },
  "expiring.eth": async () => {
    expect((await whois("expiring.eth")).availability_status).toBe("registered");
    const left = await secondsLeft("expiring.eth");
    expect([left > 14n * DAY, left < 16n * DAY]).toEqual([true, true]);
  },
  "dropping.eth": async () => {
    expect((await whois("dropping.eth")).availability_status).toBe("grace");
    const left = (await secondsLeft("dropping.eth")) + GRACE;
    expect([left > 3n * DAY, left < 5n * DAY]).toEqual([true, true]);
  },
  "falling.eth": async () => {
    expect((await whois("falling.eth")).availability_status).toBe("premium");
    const left = (await secondsLeft("falling.eth")) + GRACE + PREMIUM;
    expect([left > 3n * DAY, left < 5n * DAY]).toEqual([true, true]);
  },
  "freed.eth": async () => {
    expect((await whois("freed.eth")).availability_status).toBe("available");
    const over = -(await secondsLeft("freed.eth")) - GRACE - PREMIUM;
    expect([over > 2n * DAY, over < 4n * DAY]).toEqual([true, true]);
  },
  "lapsed.eth": async () => {
    expect(await whois("lapsed.eth")).toMatchObject({
      availability_status: "available",
      ownership: { is_wrapped: false },
      wrapper: { fuses: 0, expired: true },
    });
    expect(-(await secondsLeft("lapsed.eth"))).toBeGreaterThan(GRACE + PREMIUM);
  },
  "reborn.eth": async () => {
    expect(await whois("reborn.eth")).toMatchObject({
      availability_status: "registered",
      ownership: { is_wrapped: false, owner: people.bob },
    });
    const types = namesOf(await stage.events("reborn.eth"));
    expect(types.filter((type) => type === "REGISTRAR NameRegistered")).toHaveLength(2);
    const lives: string[] = [];
    for (const resolver of ["resolver4", "resolver5"]) {
      const { texts } = await expectRecordsAsOnChain(stage, { resolver, name: "reborn.eth" });
      lives.push(texts.description ?? "");
    }
    expect(lives).toEqual(["the first life", "the second life"]);
  },
  "moved.eth": async () => {
    expect((await whois("moved.eth")).ownership).toMatchObject({
      owner: people.carol,
      registry: people.carol,
    });
    const resolvers = await stage.sql<{ resolver: string }>(
      "select resolver from resolver_changes where node = $1 order by block_number",
      [ethNode("moved")],
    );
    const expected = ["resolver3", "resolver4", "resolver5"];
    expect(resolvers.map(({ resolver }) => resolver)).toEqual(
      expected.map((name) => lower(addressOf(stage.chain, name))),
    );
    const texts: (string | null | undefined)[] = [];
    for (const resolver of expected) {
      const records = await expectRecordsAsOnChain(stage, { resolver, name: "moved.eth" });
      texts.push(records.texts.description);
    }
    expect(texts).toEqual(["on the first resolver", "on the second resolver", "on the third resolver"]);
  },
  "auctioned.eth": async () => {
    expect(await whois("auctioned.eth")).toMatchObject({
      name: `${spelled("auctioned")}.eth`,
      expiry_timestamp: null,
      ownership: {
        owner: people.alice,
        is_owner_current: false,
        registry: people.alice,
        ended_by: "no_registration",
        last_owner: { address: people.alice },
      },
    });
    expect(namesOf(await stage.events("auctioned.eth"))).toContain("REGISTRAR_AUCTION HashRegistered");
  },
  "legacy.eth": async () => {
    expect(await whois("legacy.eth")).toMatchObject({
      name: "legacy.eth",
      ownership: { owner: people.bob },
      resolver: { address: addressOf(stage.chain, "resolver2") },
    });
    const { texts } = await expectRecordsAsOnChain(stage, { resolver: "resolver2", name: "legacy.eth" });
    expect(texts).toEqual({ email: "bob@legacy.example", url: "https://legacy.example" });
    const sources = await stage.sql<{ value_source: string }>(
      "select value_source from text_changes where node = $1 order by key",
      [ethNode("legacy")],
    );
    expect(sources.map(({ value_source }) => value_source)).toEqual(["calldata", "read"]);
    const args = [reverseNode(people.bob)];
    const name = await read<string>(stage.chain, {
      contract: "reverseResolver1",
      functionName: "name",
      args,
    });
    expect(await claimOf(people.bob)).toEqual({ name, is_name_known: false });
    expect(name).toBe("legacy.eth");
  },
  "revealed.eth": async () => {
    expect((await whois("revealed.eth")).name).toBe("revealed.eth");
    const types = namesOf(await stage.events("revealed.eth"));
    expect(types[0]).toBe("REGISTRAR Transfer");
    expect(types.at(-1)).toBe("CONTROLLER NameRenewed");
  },
  "offchain.eth": async () => {
    const record = await stage.record(ethNode("offchain"));
    expect(record).toMatchObject({
      ownership: { owner: people.bob },
      resolver: { status: "unindexed", address: addressOf(stage.chain, "offchainResolver") },
    });
  },
  "anything.offchain.eth": async () => {
    expect(await stage.events("anything.offchain.eth")).toEqual([]);
    expect(
      await stage.sql("select 1 from domains where node = $1", [nodeOfShown("anything.offchain.eth")]),
    ).toEqual([]);
  },
  "multi-one.eth": async () => {
    const multi = ["multi-one.eth", "multi-two.eth", "multi-three.eth"];
    const hashes = new Set<string>();
    for (const name of multi) hashes.add((await stage.events(name))[0]?.transaction_hash ?? name);
    expect(hashes.size).toBe(1);
    expect(await claimOf(people.carol, 0x80000000)).toEqual({ name: "multi-one.eth", is_name_known: true });
  },
  "wrapped-agent.eth": async () => {
    expect((await whois("wrapped-agent.eth")).ownership).toMatchObject({
      is_wrapped: true,
      owner: people.alice,
    });
  },
};

describe("the demo", () => {
  test.each(demoNames.map(({ name, meaning }) => [name, meaning]))("%s: %s", async (name) => {
    const check = meanings[name];
    if (check) return check();
    // Every other name only has to be registered with the label that it shows.
    expect(await whois(name)).toMatchObject({ name, availability_status: "registered" });
  });

  test("has every name checked here", () => {
    const names = demoNames.map(({ name }) => name);
    expect(Object.keys(meanings).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("shows a label of ten kilobytes by its hash", async () => {
    const answer = await whois(`${spelled(oddLabels.long)}.eth`);
    expect([answer.label, answer.name]).toEqual([spelled(oddLabels.long), `${spelled(oddLabels.long)}.eth`]);
  });

  test("ends at the present", async () => {
    const { timestamp } = await stage.chain.client.getBlock();
    const seconds = Math.floor(Date.now() / 1000) - Number(timestamp);
    expect(Math.abs(seconds)).toBeLessThan(600);
  });

  test("has data for every statistic of a home page: weekly and monthly sales, coming expiries, drops", async () => {
    const ask = async (path: string) => (await fetch(`${stage.stack.url}${path}`)).json();
    const [totals, series, largest] = await Promise.all([
      ask("/ens-stats"),
      ask("/ens-stats/registrations"),
      ask("/ens-stats/largest-registrations?days=7"),
    ]);
    expect(totals).toMatchObject({ registrations_7d: 1, expiring_30d: 1 });
    expect(JSON.stringify(series)).toMatch(/"registrations":[1-9]/);
    expect(JSON.stringify(largest)).toContain("fresh.eth");
    for (const [name, says] of [
      ["dropping.eth", "drops.csv"],
      ["falling.eth", "drops.csv?kind=premium"],
      ["freed.eth", "drops.csv?kind=free"],
    ]) {
      const text = await (await fetch(`${stage.stack.url}/explore/${says}`)).text();
      expect(text, says).toContain(name);
    }
  });

  test("has a calendar for each person, with the same ends of names as in lists", async () => {
    const request = (path: string) => fetch(`${stage.stack.url}${path}`);
    const { chainId } = stage.local.anvil;
    for (const address of Object.values(people)) {
      const { events } = await readCalendar(request, `/address/${address}/expiries.ics`);
      const now = events[0]?.stamp ?? Number((await stage.chain.client.getBlock()).timestamp);
      expect(endsIn(events)).toEqual(endsToCome(await listOwned(request, address), { now, chainId }));
    }
  });

  test("gives each account the primary name that viem finds", async () => {
    const { client, accounts } = stage.chain;
    const { universalResolver } = stage.local.deployment;
    for (const address of accounts) {
      const { body } = await stage.stack.api<{ primary_name: string | null }>(
        `/address/${address}/primary-name`,
      );
      const found = await getEnsName(client, {
        address,
        universalResolverAddress: universalResolver as Address,
      });
      expect([address, found]).toEqual([address, body.primary_name]);
    }
  });

  test("has every log in the event log, exactly once", () => expectEveryLogOnce(stage));
});

describeClient(() => stage);

describeTools(() => stage);

describeExamples(() => stage);

// Comes last, because it has a stranger add names.
describeExplorer(() => stage);
