import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { concat, numberToHex, parseAbi, slice, zeroHash } from "viem";
import { resolverAbi, resolverUnindexedKeyAbi } from "../../../abis/resolver.ts";
import {
  addressOf,
  bindAgent,
  type Call,
  claimReverseWithResolver,
  encodeCall,
  ethNode,
  hashLabel,
  nodeBelow,
  registerReferred,
  registerWrapped,
  registrarToken,
  send,
  sendInOneBlock,
  setResolver,
  setReverseName,
} from "../../../devnet/acts.ts";
import type { Attack } from "../attack.ts";
import { emit, logOf, type RawLog } from "../logs.ts";
import { ATTACK_GAS, type HostileStage, VICTIM } from "../stage.ts";

const VICTIM_NODE = ethNode("alice");

const MEGABYTE = 1_000_000;
const KEY = "description";

/** A call of the hostile resolver, as one transaction. */
const call = ({ mallory }: HostileStage, functionName: string, ...args: readonly unknown[]): Call => ({
  from: mallory,
  contract: "hostileLogs",
  functionName,
  args,
  gas: ATTACK_GAS,
});

const signatures = {
  text: "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)",
  name: "event NameChanged(bytes32 indexed node, string name)",
  contenthash: "event ContenthashChanged(bytes32 indexed node, bytes hash)",
  dns: "event DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, bytes record)",
};

/** A log of the hostile resolver whose last argument, left empty here, has `size` letters. */
function shout(stage: HostileStage, size: number, { topics, data }: RawLog): Call {
  const head = concat([slice(data, 0, -32), numberToHex(size, { size: 32 })]);
  return call(stage, "shout", [...topics, zeroHash].slice(0, 3), head, BigInt(size));
}

/** Registers `<label>.eth` with the hostile resolver. Returns its node. */
async function ownWithResolver({ chain, mallory }: HostileStage, label: string): Promise<Hex> {
  await registerReferred(chain, { from: mallory, label });
  const node = ethNode(label);
  await setResolver(chain, { from: mallory, node, resolver: addressOf(chain, "hostileLogs") });
  return node;
}

const texts = ["", "\0", "a\0b", "\ud7ff\ufffd", Uint8Array.from([0xff, 0xfe, 0x00]), "z".repeat(10_240)];
const blobs: readonly Hex[] = ["0x", "0x00", `0x${"ff".repeat(33)}`, `0x${"00".repeat(20_480)}`];

/** Smallest and largest values of a type. */
function endsOf(type: string): readonly unknown[] {
  if (type === "string") return texts;
  if (type === "bytes") return blobs;
  if (type === "bool") return [false, true];
  if (type === "address") return [`0x${"00".repeat(20)}`, `0x${"ff".repeat(20)}`];
  const bits = Number(/\d+$/.exec(type)?.[0]);
  if (type.startsWith("bytes")) return [`0x${"00".repeat(bits)}`, `0x${"ff".repeat(bits)}`];
  // viem takes numbers for the small types.
  const end = 2n ** BigInt(bits) - 1n;
  return bits <= 48 ? [0, Number(end)] : [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, end].filter((one) => one <= end);
}

/** Every record event with every argument at each of its limits, and the others at common values. */
function logsAtTheEnds(node: Hex): RawLog[] {
  return [...resolverAbi, ...resolverUnindexedKeyAbi].flatMap((event) => {
    const usual = event.inputs.map(({ name, type }) => (name === "node" ? node : endsOf(type)[1]));
    return event.inputs.flatMap(({ type }, index) =>
      endsOf(type).map((value) => logOf(event, ...usual.with(index, value))),
    );
  });
}

const ends: Attack = {
  name: "every record event, with each argument at the ends of its type",
  run: async (stage) => {
    await emit(stage, "logEmitter", logsAtTheEnds(VICTIM_NODE));
    return { names: [VICTIM], nodes: [VICTIM_NODE, `0x${"ff".repeat(32)}`] };
  },
};

const largeLogs: Attack = {
  name: "12 logs of 1 MB for one name",
  run: async (stage) => {
    const node = await ownWithResolver(stage, "loud");
    const large = shout(stage, MEGABYTE, logOf(signatures.text, node, KEY, KEY, ""));
    await sendInOneBlock(
      stage.chain,
      Array.from({ length: 12 }, () => large),
    );
    return { names: ["loud.eth"], nodes: [node], keys: [KEY] };
  },
};

/** A crowd without any pause would be an attack of its own. */
const OTHERS_PAUSE_MS = 20;

/** Other callers, who request a name and the state of the index until the head is indexed. @throws if one is refused */
async function askOthers({ stack }: HostileStage, isOver: () => boolean): Promise<void> {
  const ask = async (path: string) => {
    while (!isOver()) {
      const reply = await fetch(`${stack.url}${path}`);
      if (reply.status !== 200) throw new Error(`Others got ${reply.status}: ${await reply.text()}`);
      await reply.arrayBuffer();
      await sleep(OTHERS_PAUSE_MS);
    }
  };
  await Promise.all(
    Array.from({ length: 4 }, () => [`/whois/${VICTIM}`, "/indexing-status"].map(ask)).flat(),
  );
}

/** More than the indexer can process before the next question comes. */
const burst = ({ blocks, megabytes }: { blocks: number; megabytes: number }): Attack => ({
  name: `${blocks} blocks at once, each with ${megabytes} logs of 1 MB`,
  run: async (stage) => {
    const node = await ownWithResolver(stage, "burst");
    const large = shout(stage, MEGABYTE, logOf(signatures.text, node, KEY, KEY, ""));
    const calls = Array.from({ length: megabytes }, () => large);
    await stage.stack.waitForHead();
    let isOver = false;
    const others = askOthers(stage, () => isOver);
    const mined = async () => {
      for (let block = 0; block < blocks; block++) await sendInOneBlock(stage.chain, calls);
      await stage.stack.waitForHead();
    };
    await Promise.all([
      others,
      mined().finally(() => {
        isOver = true;
      }),
    ]);
    return { names: ["burst.eth"], nodes: [node], keys: [KEY] };
  },
});

const largeParts: Attack = {
  name: "a key, a contenthash and a DNS record of 100 KB",
  run: async (stage) => {
    const node = await ownWithResolver(stage, "large");
    const key = "k".repeat(102_400);
    await emit(stage, "logEmitter", [logOf(signatures.text, node, key, key, "short")]);
    await sendInOneBlock(stage.chain, [
      shout(stage, 102_400, logOf(signatures.contenthash, node, "0x")),
      shout(stage, 102_400, logOf(signatures.dns, node, "0x00", 1, "0x")),
    ]);
    return { names: ["large.eth"], nodes: [node], keys: ["a".repeat(1_000)] };
  },
};

const primaryNames: Attack = {
  name: "primary names of 1 MB and of 10 KB",
  run: async (stage) => {
    const { chain, mallory } = stage;
    const resolver = addressOf(chain, "hostileLogs");
    await claimReverseWithResolver(chain, { from: mallory, owner: mallory, resolver });
    const reverse = nodeBelow(
      nodeBelow(nodeBelow(`0x${"00".repeat(32)}`, "reverse"), "addr"),
      mallory.slice(2).toLowerCase(),
    );
    await send(chain, shout(stage, MEGABYTE, logOf(signatures.name, reverse, "")));
    const other = chain.accounts[5] ?? mallory;
    await setReverseName(chain, { from: other, name: "p".repeat(10_240) });
    return { nodes: [reverse], addresses: [mallory, other] };
  },
};

const agent: Attack = {
  name: "an agent whose URI has 10 KB",
  run: async ({ chain, mallory }) => {
    await registerReferred(chain, { from: mallory, label: "agent" });
    const uri = "u".repeat(10_240);
    await bindAgent(chain, { from: mallory, token: registrarToken("agent"), uri });
    return { names: ["agent.eth"], nodes: [ethNode("agent")] };
  },
};

/** A log for each of many nodes, and many logs for the name of another owner. */
const flood = (count: number): Attack => ({
  name: `${count.toLocaleString("en")} logs in one block`,
  run: async (stage) => {
    await sendInOneBlock(stage.chain, [
      call(stage, "floodNodes", 1n, BigInt(count / 2)),
      call(stage, "floodTexts", VICTIM_NODE, KEY, BigInt(count / 4)),
      call(stage, "floodAddresses", VICTIM_NODE, BigInt(count / 4)),
    ]);
    return { names: [VICTIM], nodes: [VICTIM_NODE], keys: [KEY] };
  },
});

const multicallAbi = parseAbi(["function multicall(bytes[] data) returns (bytes[] results)"]);

/** The value of each text is searched in the calldata of the whole transaction, because the log lacks it. */
const textsInOneCall = (count: number): Attack => ({
  name: `${count.toLocaleString("en")} texts in one call of a resolver of 2020`,
  run: async (stage) => {
    const { chain, mallory } = stage;
    await registerReferred(chain, { from: mallory, label: "wordy" });
    const node = ethNode("wordy");
    const resolver = addressOf(chain, "resolver3");
    await setResolver(chain, { from: mallory, node, resolver });
    const text = (value: string) =>
      encodeCall(chain, { contract: "resolver3", functionName: "setText", args: [node, "k", value] });
    const call = { contract: "resolver3", functionName: "multicall", gas: ATTACK_GAS };
    const contracts = { ...chain.contracts, resolver3: { address: resolver, abi: multicallAbi } };
    const args = [Array.from({ length: count }, (_, index) => text(index % 2 === 0 ? "x" : "y"))];
    await send({ ...chain, contracts }, { ...call, from: mallory, args });
    return { names: ["wordy.eth"], nodes: [node], keys: ["k"] };
  },
});

/** How many wrapped names one transaction can pay for. */
const WRAPPED_A_TRANSACTION = 80;

const tokensInOneTransfer = (count: number): Attack => ({
  name: `${count.toLocaleString("en")} tokens in one transfer`,
  run: async ({ chain, mallory }) => {
    await registerWrapped(chain, { from: mallory, label: "tokens" });
    const operator = addressOf(chain, "batch");
    const approve = { contract: "wrapper", functionName: "setApprovalForAll", args: [operator, true] };
    await send(chain, { from: mallory, ...approve });
    const parent = ethNode("tokens");
    const labels = Array.from({ length: count }, (_, index) => `t${index}`);
    const mint = (label: string) => ({
      target: addressOf(chain, "wrapper"),
      value: 0n,
      data: encodeCall(chain, {
        contract: "wrapper",
        functionName: "setSubnodeOwner",
        args: [parent, label, mallory, 0, 0n],
      }),
    });
    const calls: Call[] = [];
    for (let next = 0; next < count; next += WRAPPED_A_TRANSACTION) {
      const args = [labels.slice(next, next + WRAPPED_A_TRANSACTION).map(mint)];
      calls.push({ from: mallory, contract: "batch", functionName: "run", args, gas: ATTACK_GAS });
    }
    await sendInOneBlock(chain, calls);
    const ids = labels.map((label) => BigInt(nodeBelow(parent, label)));
    const to = chain.accounts[6] ?? mallory;
    const args = [mallory, to, ids, ids.map(() => 1n), "0x"];
    const transfer = { contract: "wrapper", functionName: "safeBatchTransferFrom", args, gas: ATTACK_GAS };
    await send(chain, { from: mallory, ...transfer });
    return { names: ["tokens.eth", "t1.tokens.eth"], nodes: [parent], addresses: [mallory, to] };
  },
});

/** Texts at a listed resolver of 2025, stored by its own contract. */
const oddTexts: Attack = {
  name: "texts, addresses and names that are empty, broken or long, at a resolver of 2025",
  run: async ({ chain, mallory }) => {
    await registerReferred(chain, { from: mallory, label: "odd", resolver: "resolver5" });
    const node = ethNode("odd");
    const of = (functionName: string, ...args: readonly unknown[]): Call => ({
      from: mallory,
      contract: "resolver5",
      functionName,
      args: [node, ...args],
    });
    const numbers = [0n, 60n, 2n ** 31n, 2n ** 63n, 2n ** 255n, 2n ** 256n - 1n];
    await sendInOneBlock(chain, [
      ...texts.map((key) => of("setText", key, "value")),
      ...texts.map((value, index) => of("setText", `k${index}`, value)),
      ...numbers.map((coinType) => of("setAddr", coinType, numberToHex(1, { size: 20 }))),
      ...texts.map((name) => of("setName", name)),
      ...blobs.slice(0, 3).map((hash) => of("setContenthash", hash)),
    ]);
    return { names: ["odd.eth"], nodes: [node], labelhashes: [hashLabel("odd")], keys: ["k0", "k3", "k5"] };
  },
};

/** Logs about a name, large in size and in number. */
export const attacksByRecords = ({
  logs,
  burstMegabytes,
}: {
  logs: number;
  burstMegabytes: number;
}): readonly Attack[] => [
  ends,
  oddTexts,
  largeLogs,
  burst({ blocks: 20, megabytes: burstMegabytes }),
  largeParts,
  primaryNames,
  agent,
  flood(logs),
  textsInOneCall(800),
  tokensInOneTransfer(800),
];
