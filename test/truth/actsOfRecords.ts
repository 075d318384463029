import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, hexToBytes, parseAbi } from "viem";
import {
  addressOf,
  authorise,
  type Call,
  clearDNSZone,
  clearRecords,
  encodeCall,
  encodeWrite,
  type RecordWrite,
  send,
  sendInOneBlock,
  sendThroughMulticall,
  toWriteCall,
  writeRecord,
  writeRecords,
  writeRecordsChecked,
} from "../../devnet/acts.ts";
import type { Act } from "./catalogue.ts";
import { record, records } from "./recordChoices.ts";
import { findPlace, isPerson, isWrappedState, type Place, type Scene, stateOf, writerOf } from "./scene.ts";

const resolvers = ["resolver2", "resolver3", "resolver4", "resolver5"];

/** A name that a person may write, its writer, and mostly its current resolver. */
function choose(scene: Scene, among: readonly string[] = resolvers) {
  const { chain } = scene;
  const names = new Map(among.map((name) => [addressOf(chain, name), name]));
  const isWritable = (place: Place) => isPerson(scene, writerOf(scene, stateOf(scene, place)));
  const withOne = (place: Place) => isWritable(place) && names.has(stateOf(scene, place).resolver);
  const place = findPlace(scene, scene.number(4) > 0 ? withOne : isWritable);
  const state = stateOf(scene, place);
  const others = among.filter((name) => name !== "resolver2" || !isWrappedState(scene, state));
  const resolver = names.get(state.resolver) ?? scene.pick(others.length > 0 ? others : among);
  return { place, node: place.node, from: writerOf(scene, state), resolver };
}

const one = (scene: Scene) => {
  const { node, from, resolver } = choose(scene);
  return writeRecord(scene.chain, { from, resolver, node, write: record(scene, resolver) });
};

const many = (scene: Scene) => {
  const { node, from, resolver } = choose(scene, ["resolver3", "resolver4", "resolver5"]);
  const act = { from, resolver, node, writes: texts(scene, resolver) };
  const isChecked = resolver !== "resolver3" && scene.number(2) === 0;
  return isChecked ? writeRecordsChecked(scene.chain, act) : writeRecords(scene.chain, act);
};

/** Two sets of one key among others: their order must not be guessed. */
const texts = (scene: Scene, resolver: string): RecordWrite[] => [
  { kind: "text", key: "url", value: scene.pick(["first", "", "same"]) },
  ...records(scene, resolver, 1),
  { kind: "text", key: "url", value: scene.pick(["second", "", "same"]) },
];

/** Through a contract: the transaction does not go to the resolver, so its calldata says nothing. */
const throughContract = async (scene: Scene) => {
  const { chain } = scene;
  const { place, node, from, resolver } = choose(scene);
  const multicall = addressOf(chain, "multicall3");
  const write = {
    kind: "text",
    key: scene.pick(["url", "description"]),
    value: scene.pick(["told", "", "new"]),
  };
  const writes = [write as RecordWrite, ...records(scene, resolver, scene.number(2))];
  const calls = writes.map((one) => toWriteCall({ from: multicall, resolver, node, write: one }));
  if (resolver !== "resolver2") {
    await authorise(chain, { from, resolver, node, delegate: multicall });
    return sendThroughMulticall(chain, { from, calls });
  }
  if (isWrappedState(scene, stateOf(scene, place)))
    return writeRecord(chain, { from, resolver, node, write: write as RecordWrite });
  const setOwner = (owner: Address, by: Address): Call => ({
    from: by,
    contract: "registry",
    functionName: "setOwner",
    args: [node, owner],
  });
  await send(chain, setOwner(multicall, from));
  return sendThroughMulticall(chain, { from, calls: [...calls, setOwner(from, multicall)] });
};

/** Two or three transactions of one block set the same key. */
const inOneBlock = (scene: Scene) => {
  const { node, from, resolver } = choose(scene);
  const key = scene.pick(["url", "description"]);
  const values = ["one", scene.pick(["two", ""]), "three"].slice(0, 2 + scene.number(2));
  const calls = values.map((value) =>
    toWriteCall({ from, resolver, node, write: { kind: "text", key, value } }),
  );
  return sendInOneBlock(scene.chain, [
    ...calls,
    toWriteCall({ from, resolver, node, write: record(scene, resolver) }),
  ]);
};

/** In one block a contract and the owner set the same key: afterwards only the last value can be read. */
const mixedBlock = async (scene: Scene) => {
  const { chain } = scene;
  const { node, from, resolver } = choose(scene, ["resolver3", "resolver4", "resolver5"]);
  const multicall = addressOf(chain, "multicall3");
  await authorise(chain, { from, resolver, node, delegate: multicall });
  const own = (value: string) =>
    toWriteCall({ from, resolver, node, write: { kind: "text", key: "url", value } });
  const told = (...values: string[]): Call => {
    const calls = values.map((value) => ({
      target: addressOf(chain, resolver),
      allowFailure: false,
      callData: encodeWrite(chain, { resolver, node, write: { kind: "text", key: "url", value } }),
    }));
    return { from, contract: "multicall3", functionName: "aggregate3", args: [calls] };
  };
  const orders = [
    [told("by contract"), own("by owner")],
    [own("by owner"), told("by contract")],
    [told("first", "second"), told("third")],
    [told("once"), own(""), told("again", "")],
  ];
  return sendInOneBlock(chain, scene.pick(orders));
};

/** A key or a value that is not UTF-8: the contract accepts any bytes. */
const rawText = (scene: Scene) => {
  const { node, from, resolver } = choose(scene);
  const raw = Uint8Array.from([0x66, 0xff, 0xc3, 0x28, scene.number(3)]);
  const [key, value] = scene.pick([
    ["url", raw] as const,
    [raw, "of a raw key"] as const,
    [raw, raw] as const,
  ]);
  return send(scene.chain, { from, contract: resolver, functionName: "setText", args: [node, key, value] });
};

const clear = (scene: Scene) => {
  const { node, from, resolver } = choose(scene, ["resolver4", "resolver5"]);
  if (scene.number(5) === 0) return clearDNSZone(scene.chain, { from, node, resolver: "resolver3" });
  return clearRecords(scene.chain, { from, resolver, node });
};

const clearAndWriteInOneTransaction = (scene: Scene) => {
  const { node, from, resolver } = choose(scene, ["resolver4", "resolver5"]);
  const { chain } = scene;
  const before = encodeWrite(chain, { resolver, node, write: { kind: "text", key: "url", value: "before" } });
  const clearing = encodeCall(chain, { contract: resolver, functionName: "clearRecords", args: [node] });
  const after = encodeWrite(chain, { resolver, node, write: record(scene, resolver) });
  return send(chain, {
    from,
    contract: resolver,
    functionName: "multicall",
    args: [[before, clearing, after]],
  });
};

const permit = (scene: Scene) => {
  const { node, from, resolver } = choose(scene, ["resolver3", "resolver4", "resolver5"]);
  const delegate = scene.people.find((person) => person !== from) ?? scene.deployer;
  return authorise(scene.chain, { from, resolver, node, delegate, allowed: scene.number(2) === 0 });
};

const recordEventsAbi = parseAbi([
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)",
  "event AddrChanged(bytes32 indexed node, address a)",
  "event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress)",
  "event NameChanged(bytes32 indexed node, string name)",
  "event ContenthashChanged(bytes32 indexed node, bytes hash)",
  "event VersionChanged(bytes32 indexed node, uint64 newVersion)",
]);
const oldTextAbi = parseAbi([
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key)",
]);
const oldestTextAbi = parseAbi(["event TextChanged(bytes32 indexed node, string indexedKey, string key)"]);

/** Anybody can emit a resolver's events about any name. */
const emit = (scene: Scene) => {
  const node = findPlace(scene, () => true).node;
  const person = scene.pick(scene.people);
  const text = [{ type: "string" }] as const;
  const logs: { topics: (Hex | Hex[] | null)[]; data: Hex }[] = [
    {
      topics: encodeEventTopics({
        abi: recordEventsAbi,
        eventName: "TextChanged",
        args: { node, indexedKey: "url" },
      }),
      data: encodeAbiParameters([...text, ...text], ["url", "forged"]),
    },
    {
      topics: encodeEventTopics({
        abi: oldTextAbi,
        eventName: "TextChanged",
        args: { node, indexedKey: "url" },
      }),
      data: encodeAbiParameters(text, ["url"]),
    },
    {
      topics: encodeEventTopics({ abi: oldestTextAbi, eventName: "TextChanged", args: { node } }),
      data: encodeAbiParameters([...text, ...text], ["url", "url"]),
    },
    {
      topics: encodeEventTopics({ abi: recordEventsAbi, eventName: "AddrChanged", args: { node } }),
      data: encodeAbiParameters([{ type: "address" }], [person]),
    },
    {
      topics: encodeEventTopics({ abi: recordEventsAbi, eventName: "NameChanged", args: { node } }),
      data: encodeAbiParameters(text, ["forged.eth"]),
    },
    {
      topics: encodeEventTopics({ abi: recordEventsAbi, eventName: "VersionChanged", args: { node } }),
      data: encodeAbiParameters([{ type: "uint64" }], [7n]),
    },
  ];
  const { topics, data } = scene.pick(logs);
  const args = [topics, scene.number(6) === 0 ? hexToHalf(data) : data];
  return send(scene.chain, { from: person, contract: "logEmitter", functionName: "emitLog", args });
};

/** Truncated data, which no decoder accepts. */
const hexToHalf = (data: Hex): Hex => `0x${data.slice(2, 2 + hexToBytes(data).length)}` as Hex;

/** Writes at resolvers, by every kind of writer. */
export const recordActs: Record<string, Act> = {
  writeRecord: { weight: 18, perform: one },
  writeSeveral: { weight: 5, perform: many },
  writeThroughContract: { weight: 6, perform: throughContract },
  writeInOneBlock: { weight: 4, perform: inOneBlock },
  writeInMixedBlock: { weight: 3, perform: mixedBlock },
  writeRawText: { weight: 2, perform: rawText },
  clearRecords: { weight: 3, perform: clear },
  clearAndWrite: { weight: 2, perform: clearAndWriteInOneTransaction },
  authorise: { weight: 9, perform: permit },
  emitForged: { weight: 3, perform: emit },
};
