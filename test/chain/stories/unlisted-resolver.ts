import { beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  encodeCall,
  ethNode,
  hashLabel,
  registerReferred,
  send,
  setResolver,
} from "../../../devnet/acts.ts";
import { expectRecordsAsOnChain, expectWhoisAsOnChain } from "../onChain.ts";
import { eventsOf, lower } from "../stage.ts";
import { stage } from "./stage.ts";

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
