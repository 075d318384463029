import type { Hex } from "viem";
import { numberToHex } from "viem";
import {
  addressOf,
  type Call,
  ethNode,
  hashLabel,
  type Label,
  nodeBelow,
  registerReferred,
  sendInOneBlock,
  setOwner,
} from "../../../devnet/acts.ts";
import type { Attack } from "../attack.ts";
import { spell } from "../logs.ts";
import { ATTACK_GAS, type HostileStage } from "../stage.ts";

/** How many names one transaction can pay for. */
const NAMES_A_TRANSACTION = 280;
/** How many of them fit into a block of mainnet: 60 million gas. */
const TRANSACTIONS_A_BLOCK = 4;

/** Registers `<label>.eth` for the contract that creates names below it. Returns its node. */
async function own({ chain, mallory }: HostileStage, label: Label): Promise<Hex> {
  await registerReferred(chain, { from: mallory, label });
  const node = ethNode(label);
  await setOwner(chain, { from: mallory, node, owner: addressOf(chain, "hostileNames") });
  return node;
}

const callOf = ({ mallory }: HostileStage, functionName: string, args: readonly unknown[]): Call => ({
  from: mallory,
  contract: "hostileNames",
  functionName,
  args,
  gas: ATTACK_GAS,
});

/** The nodes of nested names with the same labelhash, the highest first. */
function nodesBelow(parent: Hex, labelhash: Hex, depth: number): Hex[] {
  const nodes: Hex[] = [];
  for (let node = parent; nodes.length < depth; nodes.push(node)) node = nodeBelow(node, { labelhash });
  return nodes;
}

/** Creates nested names in one block, and returns their nodes. */
async function nest(stage: HostileStage, parent: Hex, labelhash: Hex, depth: number): Promise<Hex[]> {
  const nodes = nodesBelow(parent, labelhash, depth);
  const calls: Call[] = [];
  for (let level = 0; level < depth; level += NAMES_A_TRANSACTION) {
    const levels = Math.min(NAMES_A_TRANSACTION, depth - level);
    calls.push(callOf(stage, "nest", [nodes[level - 1] ?? parent, labelhash, BigInt(levels)]));
  }
  await sendInOneBlock(stage.chain, calls);
  return nodes;
}

/** Creates names side by side, some thousands in each block. */
async function spread(stage: HostileStage, parent: Hex, count: number): Promise<void> {
  const calls: Call[] = [];
  for (let from = 0; from < count; from += NAMES_A_TRANSACTION) {
    const some = Math.min(NAMES_A_TRANSACTION, count - from);
    calls.push(callOf(stage, "spread", [parent, BigInt(from + 1), BigInt(some)]));
  }
  for (let first = 0; first < calls.length; first += TRANSACTIONS_A_BLOCK) {
    await sendInOneBlock(stage.chain, calls.slice(first, first + TRANSACTIONS_A_BLOCK));
  }
}

const ends = (nodes: readonly Hex[]): Hex[] =>
  [nodes[0], nodes[Math.floor(nodes.length / 2)], nodes.at(-1)].filter((node) => node !== undefined);

/** Nested names that all have one known label, of `size` letters. */
const nested = (size: number, depth: number): Attack => ({
  name: `${depth} nested names with a label of ${size.toLocaleString("en")} bytes`,
  run: async (stage) => {
    const label = `n${"a".repeat(size - 1)}`;
    const parent = await own(stage, `nest${depth}`);
    await spell(stage, [label]);
    const nodes = await nest(stage, parent, hashLabel(label), depth);
    return { names: [`nest${depth}.eth`], nodes: ends(nodes), labelhashes: [hashLabel(label)] };
  },
});

/** The same with an unknown label, which then becomes known. */
const nestedUnknown = (depth: number): Attack => ({
  name: `${depth} nested names whose label becomes known`,
  run: async (stage) => {
    const label = `deep${depth}`;
    const nodes = await nest(stage, await own(stage, `over${label}`), hashLabel(label), depth);
    await spell(stage, [label]);
    return { names: [`over${label}.eth`], nodes: ends(nodes), labelhashes: [hashLabel(label)] };
  },
});

/** Many names below several unknown labels, one above the other, which then become known one by one. */
const revealed = (count: number, above: number): Attack => ({
  name: `${count.toLocaleString("en")} names below ${above} unknown labels that become known`,
  run: async (stage) => {
    const labels = Array.from({ length: above }, (_, level) => `above${count}x${level}`);
    let node = await own(stage, `leaves${count}`);
    for (const label of labels) node = (await nest(stage, node, hashLabel(label), 1))[0] ?? node;
    await spread(stage, node, count);
    for (const label of labels) await spell(stage, [label]);
    const leaf = (number: number) => nodeBelow(node, { labelhash: numberToHex(number, { size: 32 }) });
    return {
      names: [[...labels.toReversed(), `leaves${count}`, "eth"].join(".")],
      nodes: [node, leaf(1), leaf(count)],
      labelhashes: labels.map(hashLabel),
      addresses: [addressOf(stage.chain, "hostileNames")],
    };
  },
});

/** A name for each label, in one block; in the next block each label becomes known. */
const spelled = (name: string, labels: readonly Label[]): Attack => ({
  name,
  run: async (stage) => {
    const parent = await own(stage, `labels${labels.length}`);
    const call = (label: Label) => callOf(stage, "nest", [parent, hashLabel(label), 1n]);
    await sendInOneBlock(stage.chain, labels.map(call));
    await spell(stage, labels);
    return {
      names: labels.flatMap((label) =>
        typeof label === "string" ? [`${label}.labels${labels.length}.eth`] : [],
      ),
      nodes: labels.map((label) => nodeBelow(parent, label)),
      labelhashes: labels.map(hashLabel),
      addresses: [addressOf(stage.chain, "hostileNames")],
    };
  },
});

const sizes = [1, 63, 64, 255, 256, 1_018, 1_019, 1_020, 3_000, 10_240, 102_400];
const bytes = (...values: number[]) => Uint8Array.from(values);

const oddLabels: readonly Label[] = [
  "",
  "\0",
  "nul\0inside",
  "nul at the end\0",
  "dot.inside",
  ".",
  "[ab",
  `[${"ab".repeat(32)}]`,
  "\u202eabc",
  "\ud7ff\ue000\uffff",
  "😀",
  "\u2400",
  `"'\\\n\r\t%_`,
  " ",
  "\ufffd",
  "\ufeffmark",
  bytes(0xff, 0xfe),
  bytes(0xc0, 0x80),
  bytes(0xed, 0xa0, 0x80),
  bytes(0xf4, 0x90, 0x80, 0x80),
  bytes(0x61, 0x62, 0x63, 0xe2, 0x98),
  new TextEncoder().encode(`${"é".repeat(127)}x`),
];

/** Attacks with names. `leaves` is the number of names in the largest reveal, `reveals` the number of labels above others. */
export const attacksByNames = ({
  leaves,
  leavesBelowSeveral,
  reveals,
}: {
  leaves: number;
  leavesBelowSeveral: number;
  reveals: number;
}): readonly Attack[] => [
  nested(30_720, 200),
  nested(3, 500),
  nestedUnknown(500),
  revealed(leavesBelowSeveral, reveals),
  revealed(leaves, 1),
  spelled(
    "labels of all lengths to 100 KB",
    sizes.map((size) => `s${size}`.padEnd(size, "z").slice(0, size)),
  ),
  spelled("labels with NUL, broken UTF-8, dots and brackets", oddLabels),
];
