import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Call } from "../../../devnet/acts.ts";
import {
  addressOf,
  authorise,
  encodeCall,
  ethNode,
  readPrice,
  registerV3,
  registerWrapped,
  renew,
  renewFromBalance,
  send,
  sendInOneBlock,
  setOwner,
  setResolver,
  setText,
  toWriteCall,
  writeRecord,
  writeRecords,
} from "../../../devnet/acts.ts";
import type { LocalChain } from "../../../devnet/localChain.ts";
import { expectEveryLogOnce, expectRecordsAsOnChain, expectWhoisAsOnChain, nodeOfShown } from "../onChain.ts";
import { lower, type Stage, stageOf } from "../stage.ts";
import { stage } from "./stage.ts";

/*
 * The text event of the resolvers before 2023 has no value, and before 2020 its key is not indexed. The value comes from the
 * calldata of a transaction sent directly to the resolver, else from a read at its block, else it is unknown.
 */
const OLDEST = "oldest.eth";
const OLD = "old.eth";

beforeAll(async () => {
  const { chain, cast } = stage;
  for (const [label, resolver] of [
    ["oldest", "resolver2"],
    ["old", "resolver3"],
  ] as const) {
    const node = ethNode(label);
    await registerV3(chain, { from: cast.alice, label });
    await setResolver(chain, { from: cast.alice, node, resolver: addressOf(chain, resolver) });
  }
  await authorise(chain, {
    from: cast.alice,
    resolver: "resolver3",
    node: ethNode("old"),
    delegate: addressOf(chain, "batch"),
  });
});

/** A text set through a contract, so that the calldata is not the resolver's. */
function throughContract(texts: [key: string, value: string][], resolver = "resolver3", name = OLD): Call {
  const { chain, cast } = stage;
  const target: Address = addressOf(chain, resolver);
  const calls = texts.map(([key, value]) => {
    const write = { kind: "text", key, value } as const;
    const call = toWriteCall({ from: cast.alice, resolver, node: nodeOfShown(name), write });
    return { target, value: 0n, data: encodeCall(chain, call) };
  });
  return { from: cast.alice, contract: "batch", functionName: "run", args: [calls] };
}

const setStraight = (key: string, value: string, resolver = "resolver3", name = OLD): Call => {
  const write = { kind: "text", key, value } as const;
  return toWriteCall({ from: stage.cast.alice, resolver, node: nodeOfShown(name), write });
};

/** Values of a key over time, with the source of each. */
async function listValues(from: Stage, key: string, name = OLD): Promise<[string | null, string | null][]> {
  const rows = await from.sql<{ value: string | null; value_source: string | null }>(
    `select value, value_source from text_changes where node = $1 and key = $2 order by block_number, log_index`,
    [nodeOfShown(name), key],
  );
  return rows.map(({ value, value_source }) => [value, value_source]);
}

describe("a text is set at the oldest resolver", () => {
  const place = { resolver: "resolver2", name: OLDEST };

  test("directly: the calldata has its value", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, resolver: "resolver2", node: ethNode("oldest") };
    await setText(chain, { ...act, key: "email", value: "a@oldest.example" });
    await setText(chain, { ...act, key: "email", value: "b@oldest.example" });
    await expectRecordsAsOnChain(stage, place, { keys: ["email"] });
    expect(await listValues(stage, "email", OLDEST)).toEqual([
      ["a@oldest.example", "calldata"],
      ["b@oldest.example", "calldata"],
    ]);
  });

  test("through a contract that owns the name: its value is read at that block", async () => {
    const { chain, cast } = stage;
    const [node, batch] = [ethNode("oldest"), addressOf(chain, "batch")];
    await setOwner(chain, { from: cast.alice, node, owner: batch });
    await send(chain, throughContract([["url", "https://oldest.example"]], "resolver2", OLDEST));
    await expectRecordsAsOnChain(stage, place);
    expect(await listValues(stage, "url", OLDEST)).toEqual([["https://oldest.example", "read"]]);
  });

  test("next to its other records: an address without a coin type, content and multihash", async () => {
    const { chain, cast } = stage;
    await registerV3(chain, { from: cast.bob, label: "antique" });
    const [node, resolver] = [ethNode("antique"), "resolver2"];
    await setResolver(chain, { from: cast.bob, node, resolver: addressOf(chain, resolver) });
    for (const write of [
      { kind: "addr", address: cast.carol },
      { kind: "content", hash: node },
      { kind: "multihash", hash: "0x1220" },
      { kind: "name", name: "antique.eth" },
    ] as const)
      await writeRecord(chain, { from: cast.bob, resolver, node, write });
    const { addresses } = await expectRecordsAsOnChain(stage, { resolver, name: "antique.eth" });
    expect(addresses).toEqual({ 60: lower(cast.carol) });
  });
});

describe("a text is set at the resolver of 2020", () => {
  const place = { resolver: "resolver3", name: OLD };

  test("directly, and cleared", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, resolver: "resolver3", node: ethNode("old") };
    await setText(chain, { ...act, key: "email", value: "a@old.example" });
    await setText(chain, { ...act, key: "email", value: "" });
    await expectRecordsAsOnChain(stage, place);
    expect(await listValues(stage, "email")).toEqual([
      ["a@old.example", "calldata"],
      ["", "calldata"],
    ]);
  });

  test("several times in one multicall: the calldata distinguishes them all", async () => {
    const { chain, cast } = stage;
    await writeRecords(chain, {
      from: cast.alice,
      resolver: "resolver3",
      node: ethNode("old"),
      writes: [
        { kind: "text", key: "url", value: "one" },
        { kind: "addr", address: cast.alice },
        { kind: "text", key: "notice", value: "between" },
        { kind: "text", key: "url", value: "two" },
      ],
    });
    await expectRecordsAsOnChain(stage, place, { keys: ["url", "notice"] });
    expect(await listValues(stage, "url")).toEqual([
      ["one", "calldata"],
      ["two", "calldata"],
    ]);
  });

  test("with a byte order mark, which belongs to key and value", async () => {
    const [key, value] = ["\ufeffmarked", "\ufeffvalue"];
    await sendInOneBlock(stage.chain, [setStraight("marked", "of another key"), setStraight(key, value)]);
    expect((await expectRecordsAsOnChain(stage, place, { keys: [key] })).texts[key]).toBe(value);
    await send(stage.chain, throughContract([[key, `${value} again`]]));
    expect((await expectRecordsAsOnChain(stage, place)).texts[key]).toBe(`${value} again`);
    expect(await listValues(stage, key)).toEqual([
      [value, "calldata"],
      [`${value} again`, "read"],
    ]);
  });

  test("twice in one transaction of a contract: only the last value can be read", async () => {
    await send(
      stage.chain,
      throughContract([
        ["avatar", "first"],
        ["avatar", "second"],
      ]),
    );
    await expectRecordsAsOnChain(stage, place);
    expect(await listValues(stage, "avatar")).toEqual([
      [null, "unknown"],
      ["second", "read"],
    ]);
  });

  test("twice in one block by a contract", async () => {
    await sendInOneBlock(stage.chain, [
      throughContract([["location", "first"]]),
      throughContract([["location", "second"]]),
    ]);
    await expectRecordsAsOnChain(stage, place);
    expect(await listValues(stage, "location")).toEqual([
      [null, "unknown"],
      ["second", "read"],
    ]);
  });

  test("twice in one block, once by a contract and once directly", async () => {
    await sendInOneBlock(stage.chain, [
      throughContract([["keywords", "first"]]),
      setStraight("keywords", "second"),
      setStraight("phone", "first"),
      throughContract([["phone", "second"]]),
    ]);
    await expectRecordsAsOnChain(stage, place);
    expect(await listValues(stage, "keywords")).toEqual([
      [null, "unknown"],
      ["second", "calldata"],
    ]);
    expect(await listValues(stage, "phone")).toEqual([
      ["first", "calldata"],
      ["second", "read"],
    ]);
  });
});

/** A chain whose deployment has no price feed. */
function withoutFeed({ deployment, ...local }: LocalChain): LocalChain {
  const { priceFeed: _, ...known } = deployment;
  const contracts = known.contracts.filter(({ role }) => role !== "price-feed");
  return { ...local, deployment: { ...known, contracts } };
}

describe("without archive reads and price feed", () => {
  let poor: Stage;
  beforeAll(async () => {
    const { chain, cast } = stage;
    await registerWrapped(chain, { from: cast.alice, label: "costly" });
    await renew(chain, { from: cast.alice, label: "costly", controller: "controller4" });
    await renewFromBalance(chain, { from: cast.alice, label: "costly", controller: "controller4" });
    poor = await stageOf(withoutFeed(stage.local), { env: { ARCHIVE_READS: "off" } });
  });
  afterAll(() => poor?.stack.destroy());

  test("a value that needs a read is unknown, which differs from none", async () => {
    const rows = await poor.sql(
      `select key, value, is_value_known from text_records where node = $1 and key in ('avatar', 'url', 'email')
       order by key`,
      [nodeOfShown(OLD)],
    );
    expect(rows).toEqual([
      { key: "avatar", value: null, is_value_known: false },
      { key: "email", value: null, is_value_known: true },
      { key: "url", value: "two", is_value_known: true },
    ]);
    expect(await listValues(poor, "avatar")).toEqual([
      [null, "unknown"],
      [null, "unknown"],
    ]);
    expect(await listValues(poor, "keywords")).toEqual([
      [null, "unknown"],
      ["second", "calldata"],
    ]);
  });

  test("the price of a renewal by the wrapped controller is known only by its upper bound", async () => {
    const rows = await poor.sql<{ exact_cost_wei: string | null; cost_is_upper_bound: boolean | null }>(
      `select exact_cost_wei, cost_is_upper_bound from events
       where contract = 'CONTROLLER' and event_type = 'NameRenewed' order by block_number`,
    );
    expect(rows).toEqual(Array(2).fill({ exact_cost_wei: null, cost_is_upper_bound: true }));
    const { body } = await poor.stack.api<{ renewals: { cost_wei: string; cost_is_upper_bound?: true }[] }>(
      "/domain/costly.eth/registration-history",
    );
    const price = await readPrice(stage.chain, { controller: "controller4", label: "costly" });
    for (const { cost_wei, cost_is_upper_bound } of body.renewals) {
      expect(BigInt(cost_wei)).toBe(price + price / 10n);
      expect(cost_is_upper_bound).toBe(true);
    }
    expect(body.renewals).toHaveLength(2);
  });

  test("everything else stays the same", async () => {
    for (const name of [OLD, OLDEST, "antique.eth", "costly.eth"]) {
      await expectWhoisAsOnChain(poor, name);
      expect((await poor.events(name)).length).toBe((await stage.events(name)).length);
    }
    await expectEveryLogOnce(poor);
  });
});
