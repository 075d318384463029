import fc from "fast-check";
import {
  type Call,
  ethNode,
  registerReferred,
  sendInOneBlock,
  setReverseName,
} from "../../../devnet/acts.ts";
import type { Attack, Traces } from "../attack.ts";
import { ATTACK_GAS, type HostileStage } from "../stage.ts";

/** Texts that a reader, a database, a spreadsheet, a calendar or a browser may interpret as more than a text. */
const odd = [
  "\0",
  "\u0001",
  "\u001b[2J",
  "\u007f",
  "\u0085",
  "\ufffe",
  "\uffff",
  "\ufffd",
  "\ufeff",
  "\u2028",
  "\u2400",
  '"',
  "'",
  "\\",
  "\\u0000",
  "\r\n",
  "\n\n",
  "]]>",
  "<x>",
  "&amp;",
  "BEGIN:VEVENT\r\n",
  "data: ",
  "event: error\n",
  "=1+1",
  "\uff1d1+1",
  "+1",
  "-1",
  "@a",
  "\n=1",
  "\ufeff=1",
  "\t=1",
  "%00",
  "{}",
  "__proto__",
  "\u202e",
] as const;

/** Bytes that are not UTF-8: halves of a surrogate pair, a cut character, an invalid first byte. */
const broken: readonly Uint8Array[] = [
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xf0, 0x9f],
  [0xff, 0x00, 0xfe],
].map((bytes) => Uint8Array.from(bytes));

const text = fc.array(fc.oneof(fc.constantFrom(...odd), fc.string({ unit: "binary" })), {
  minLength: 1,
  maxLength: 5,
});

/** Random texts, always the same for one seed, and each odd one by itself. */
const textsOf = (seed: number, count: number): string[] => [
  ...new Set([
    ...odd,
    ...fc.sample(text, { seed, numRuns: count }).map((parts) => Buffer.from(parts.join("")).toString()),
  ]),
];

/** Labels under which anyone may register a name: three characters or more. Each costs a registration. */
const labels = [
  "\0",
  "\ufffe",
  "\r\n",
  "BEGIN:VEVENT\r\n",
  "=1+1",
  "\uff1d1+1",
  "\n=1",
  "\ufeff=1",
  "<x>",
].map((part, i) => `${part}lab${i}`);

export const NAME = "texts.eth";
const KEYS = 60;

/** Texts set at {@link NAME}, by key, as JSON has them; for {@link broken} bytes the decoder's result. */
export const textsSet = (seed: number): ReadonlyMap<string, string> => {
  const texts = textsOf(seed, KEYS);
  return new Map([
    ...texts.map((key, i) => [key, texts.at(-1 - i) ?? ""] as const),
    ...broken.map((bytes, i) => [`broken${i}`, Buffer.from(bytes).toString()] as const),
  ]);
};

async function setAll({ chain, mallory }: HostileStage, seed: number): Promise<void> {
  const node = ethNode("texts");
  const of = (functionName: string, ...args: readonly unknown[]): Call => ({
    from: mallory,
    contract: "resolver5",
    functionName,
    args: [node, ...args],
  });
  const pairs = [...textsSet(seed)];
  await sendInOneBlock(chain, [
    ...pairs.map(([key, value]) =>
      of("setText", key, broken[Number(/^broken(\d)$/.exec(key)?.[1])] ?? value),
    ),
    ...pairs.slice(0, odd.length).map(([name]) => of("setName", name)),
    { ...of("setText", "long", "\0".repeat(20_000)), gas: ATTACK_GAS },
  ]);
}

/** Odd texts in every place that accepts one, followed by a plain one: nothing stops at them. */
const everywhere = (seed: number): Attack => ({
  name: "odd texts in names, keys, values and primary names",
  run: async (stage): Promise<Traces> => {
    const { chain, mallory } = stage;
    await registerReferred(chain, { from: mallory, label: "texts", resolver: "resolver5" });
    for (const label of labels) await registerReferred(chain, { from: mallory, label });
    await setAll(stage, seed);
    for (const name of ["\0nul", "=1+1", "\ufffe\uffff"])
      await setReverseName(chain, { from: mallory, name });
    return {
      names: [NAME],
      nodes: [ethNode("texts"), ...labels.slice(0, 6).map((label) => ethNode(label))],
      addresses: [mallory],
      keys: ["__proto__", "=1+1", "\ufffe", "\u2028"],
    };
  },
});

export const attacksByTexts = ({ seed }: { seed: number }): readonly Attack[] => [everywhere(seed)];
