import { type Address, zeroAddress } from "viem";
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
import { eventsOf, lower } from "../stage.ts";
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

const setAddress = (resolver: Address) =>
  setResolver(stage.chain, { from: stage.cast.alice, node, resolver });
const useResolver = (resolver: string) => setAddress(addressOf(stage.chain, resolver));

const write = (resolver: string, key: string, value: string) =>
  setText(stage.chain, { from: stage.cast.alice, resolver, node, key, value });

/** The spelling that whois shows, once everything else about the name and its records is as on chain. */
async function shownWith(resolver: string): Promise<string | undefined> {
  await expectRecordsAsOnChain(stage, { resolver, name: NAME });
  return (await expectWhoisAsOnChain(stage, NAME)).display;
}

describe("a name changes its resolver", () => {
  test("to another that does not know it: the records of the first no longer count", async () => {
    expect(await shownWith("resolver5")).toBe("Wanderer.eth");
    await useResolver("resolver4");
    expect(await shownWith("resolver4")).toBeUndefined();
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
    expect(await shownWith("resolver4")).toBe("WANDERER.eth");
  });

  test("and writes at the first one meanwhile: that shows once the name returns there", async () => {
    await write("resolver5", "url", "https://away");
    expect(await shownWith("resolver4")).toBe("WANDERER.eth");
    await useResolver("resolver5");
    expect(await shownWith("resolver5")).toBe("Wanderer.eth");
  });

  test("to none", async () => {
    await setAddress(zeroAddress);
    expect(await shownWith("resolver5")).toBeUndefined();
  });

  test("to the same one again: the log shows it, and the periods do not", async () => {
    await useResolver("resolver4");
    await useResolver("resolver4");
    const [four, five] = ["resolver4", "resolver5"].map((name) => lower(addressOf(stage.chain, name)));
    const periods = await stage.sql<{ resolver: string | null }>(
      "select resolver from resolver_changes where node = $1 order by block_number, log_index",
      [node],
    );
    expect(periods.map(({ resolver }) => resolver)).toEqual([five, four, five, null, four]);
  });

  test("with a display text that is another name: it is not shown", async () => {
    await write("resolver4", "display", "Wonderer.eth");
    expect(await shownWith("resolver4")).toBeUndefined();
    await write("resolver4", "display", "wANDERER.eth");
    expect(await shownWith("resolver4")).toBe("wANDERER.eth");
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
  await expectWhoisAsOnChain(stage, `sub.${NAME}`);
});

test("a new owner in the registry keeps the resolver and its records", async () => {
  const { chain, cast } = stage;
  await setOwner(chain, { from: cast.alice, node, owner: cast.carol });
  await shownWith("resolver4");
});
