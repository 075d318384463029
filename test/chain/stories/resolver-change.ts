import { zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  encodeCall,
  ethNode,
  hashLabel,
  registerReferred,
  send,
  setOwner,
  setResolver,
  setSubnodeOwner,
  setText,
  writeRecords,
} from "../../../devnet/acts.ts";
import { expectRecordsAsOnChain, expectWhoisAsOnChain } from "../onChain.ts";
import { eventsOf, lower, namesOf } from "../stage.ts";
import { stage } from "./stage.ts";

const NAME = "wanderer.eth";
const node = ethNode("wanderer");

beforeAll(async () => {
  const { chain, cast } = stage;
  await registerReferred(chain, {
    from: cast.alice,
    label: "wanderer",
    resolver: "resolver5",
    records: [
      { kind: "addr", address: cast.alice },
      { kind: "text", key: "display", value: "Wanderer.eth" },
    ],
  });
});

const useResolver = (resolver: string) =>
  setResolver(stage.chain, { from: stage.cast.alice, node, resolver: addressOf(stage.chain, resolver) });

/** Resolvers of a name in order. */
async function listResolvers(): Promise<(string | null)[]> {
  const rows = await stage.sql<{ resolver: string | null }>(
    "select resolver from resolver_changes where node = $1 order by block_number, log_index",
    [node],
  );
  return rows.map(({ resolver }) => resolver);
}

describe("a name changes its resolver", () => {
  test("to another that does not know it: the records of the first no longer count", async () => {
    expect((await expectWhoisAsOnChain(stage, NAME)).display).toBe("Wanderer.eth");
    await useResolver("resolver4");
    const answer = await expectWhoisAsOnChain(stage, NAME);
    expect(answer.display).toBeUndefined();
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver4", name: NAME });
    expect(records.texts).toEqual({});
  });

  test("and writes records there", async () => {
    const { chain, cast } = stage;
    await writeRecords(chain, {
      from: cast.alice,
      resolver: "resolver4",
      node,
      writes: [
        { kind: "text", key: "display", value: "WANDERER.eth" },
        { kind: "addr", address: cast.bob },
      ],
    });
    expect((await expectWhoisAsOnChain(stage, NAME)).display).toBe("WANDERER.eth");
  });

  test("and writes at the first one meanwhile: that shows once the name returns there", async () => {
    const { chain, cast } = stage;
    await setText(chain, {
      from: cast.alice,
      resolver: "resolver5",
      node,
      key: "url",
      value: "https://away",
    });
    expect((await expectWhoisAsOnChain(stage, NAME)).display).toBe("WANDERER.eth");
    await useResolver("resolver5");
    expect((await expectWhoisAsOnChain(stage, NAME)).display).toBe("Wanderer.eth");
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver5", name: NAME });
    expect(records).toMatchObject({
      texts: { display: "Wanderer.eth", url: "https://away" },
      addresses: { 60: lower(cast.alice) },
    });
  });

  test("to none", async () => {
    const { chain, cast } = stage;
    await setResolver(chain, { from: cast.alice, node, resolver: zeroAddress });
    const answer = await expectWhoisAsOnChain(stage, NAME);
    expect(answer.resolver).toEqual({ status: "none" });
    expect(answer.display).toBeUndefined();
  });

  test("to the same one again: the log shows it, and the periods do not", async () => {
    await useResolver("resolver4");
    const receipt = await useResolver("resolver4");
    expect(namesOf(eventsOf(await stage.events(NAME), receipt))).toEqual(["REGISTRY NewResolver"]);
    const [four, five] = ["resolver4", "resolver5"].map((name) => lower(addressOf(stage.chain, name)));
    expect(await listResolvers()).toEqual([five, four, five, null, four]);
  });

  test("with a display text that is another name: it is not shown", async () => {
    const { chain, cast } = stage;
    const text = { from: cast.alice, resolver: "resolver4", node, key: "display" };
    await setText(chain, { ...text, value: "Wonderer.eth" });
    expect((await expectWhoisAsOnChain(stage, NAME)).display).toBeUndefined();
    await setText(chain, { ...text, value: "wANDERER.eth" });
    expect((await expectWhoisAsOnChain(stage, NAME)).display).toBe("wANDERER.eth");
  });
});

describe("an unlisted resolver", () => {
  const label = "outsider";
  const name = `${label}.eth`;
  const textChanged = hashLabel("TextChanged(bytes32,string,string,string)");
  const emitText = (value: string) => {
    const { chain, cast } = stage;
    const call = { contract: "resolver5", functionName: "setText", args: [ethNode(label), "", value] };
    // The event's data are the key and the value, as in the call after the node: offsets are one word less.
    const words = encodeCall(chain, call).slice(10 + 64);
    const data = `0x${(64).toString(16).padStart(64, "0")}${(96).toString(16).padStart(64, "0")}${words.slice(128)}`;
    const args = [[textChanged, ethNode(label), hashLabel("")], data];
    return send(chain, { from: cast.bob, contract: "logEmitter", functionName: "emitLog", args });
  };
  beforeAll(() => registerReferred(stage.chain, { from: stage.cast.alice, label, resolver: "resolver5" }));

  test("may emit records for any name, which change nothing", async () => {
    const receipt = await emitText("forged");
    await expectWhoisAsOnChain(stage, name);
    const records = await expectRecordsAsOnChain(stage, { resolver: "resolver5", name }, { keys: [""] });
    expect(records.texts).toEqual({});
    expect(eventsOf(await stage.events(name), receipt)).toEqual([]);
    const kept = await stage.sql("select event_type, key, value from events where transaction_hash = $1", [
      receipt.transactionHash,
    ]);
    expect(kept).toEqual([{ event_type: "TextChanged", key: "", value: "forged" }]);
  });

  test("is unindexed once a name uses it, and its events then belong to the name", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, node: ethNode(label), resolver: addressOf(chain, "logEmitter") };
    await setResolver(chain, act);
    const receipt = await emitText("its own");
    const events = eventsOf(await stage.events(name), receipt);
    expect(events).toMatchObject([{ contract: "RESOLVER", event_type: "TextChanged", value: "its own" }]);
    const [row] = await stage.sql<{ resolver: string }>("select resolver from domains where node = $1", [
      ethNode(label),
    ]);
    expect(row?.resolver).toBe(lower(act.resolver));
  });
});

test("a subname without a resolver has none of its own, whatever its parent has", async () => {
  const { chain, cast } = stage;
  await setSubnodeOwner(chain, { from: cast.alice, parent: node, label: "sub", owner: cast.bob });
  const [row] = await stage.sql<{ resolver: string | null; registry_owner: string }>(
    "select resolver, registry_owner from domains where parent_node = $1",
    [node],
  );
  expect(row).toEqual({ resolver: null, registry_owner: lower(cast.bob) });
});

test("a new owner in the registry keeps the resolver and its records", async () => {
  const { chain, cast } = stage;
  await setOwner(chain, { from: cast.alice, node, owner: cast.carol });
  const answer = await expectWhoisAsOnChain(stage, NAME);
  expect(answer.resolver.address).toBe(addressOf(chain, "resolver4"));
  await expectRecordsAsOnChain(stage, { resolver: "resolver4", name: NAME });
});
