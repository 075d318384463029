import { type AbiEvent, type AbiParameter, bytesToHex, type Hex, size, slice, toEventSelector } from "viem";
import { resolverAbi, resolverUnindexedKeyAbi } from "../../abis/resolver.ts";
import { type Chance, chanceOf } from "../../bench/api/chance.ts";
import { logOf, type RawLog } from "./logs.ts";

/** Events that are followed from every contract. */
const events: readonly AbiEvent[] = [...resolverAbi, ...resolverUnindexedKeyAbi];

const bytesOf = (chance: Chance, length: number): Hex =>
  bytesToHex(Uint8Array.from({ length }, () => chance.below(256)));

/** Mostly short; now and then as long as a page. */
const lengthOf = (chance: Chance): number =>
  chance.of([
    [4, chance.below(8)],
    [4, chance.below(70)],
    [1, chance.below(2_000)],
  ]);

const odd = [
  "",
  "\0",
  "a\0b",
  "[",
  ".",
  "\ufeff",
  "\u202e",
  "avatar",
  "url",
  "é".repeat(200),
  "{}",
  "%00",
  "'--",
];

function textOf(chance: Chance): string | Uint8Array {
  if (chance.is(0.6)) return odd[chance.below(odd.length)] ?? "";
  return Uint8Array.from({ length: lengthOf(chance) }, () => chance.below(256));
}

/** A number of `bits` bits, mostly near a limit of its type. */
function numberOf(chance: Chance, bits: number): bigint {
  const any = BigInt(bytesOf(chance, bits / 8));
  return chance.of([
    [2, any],
    [2, BigInt(chance.below(3))],
    [1, 2n ** BigInt(bits) - 1n - BigInt(chance.below(3))],
  ]);
}

function argumentOf(chance: Chance, { name, type }: AbiParameter, nodes: readonly Hex[]): unknown {
  if (name === "node" && chance.is(0.8)) return nodes[chance.below(nodes.length)];
  if (type === "string") return textOf(chance);
  if (type === "bytes") return bytesOf(chance, lengthOf(chance));
  if (type === "bool") return chance.is(0.5);
  if (type === "address") return bytesOf(chance, 20);
  const bits = Number(/\d+$/.exec(type)?.[0]);
  if (type.startsWith("bytes")) return bytesOf(chance, bits);
  const number = numberOf(chance, bits);
  return bits <= 48 ? Number(number) : number;
}

/** Truncates the data, extends it, changes a word of it, or replaces it. */
function broken(chance: Chance, data: Hex): Hex {
  const length = size(data);
  const word = bytesOf(chance, 32);
  const at = chance.below(Math.max(1, Math.floor(length / 32))) * 32;
  const large = `0x${"00".repeat(chance.below(32))}`.padEnd(66, "f") as Hex;
  return chance.of<Hex>([
    [2, length === 0 ? "0x" : (data.slice(0, 2 + 2 * chance.below(length)) as Hex)],
    [1, `${data}${bytesOf(chance, chance.below(100)).slice(2)}`],
    [
      1,
      length < 32
        ? word
        : (`${slice(data, 0, at, { strict: false })}${word.slice(2)}${data.slice(2 + 2 * (at + 32))}` as Hex),
    ],
    [
      2,
      length < 32
        ? large
        : (`0x${data.slice(2, 2 + 2 * at)}${large.slice(2)}${data.slice(2 + 2 * (at + 32))}` as Hex),
    ],
    [1, bytesOf(chance, lengthOf(chance))],
    [1, "0x"],
  ]);
}

function logFor(chance: Chance, nodes: readonly Hex[]): RawLog {
  const event = events[chance.below(events.length)] as AbiEvent;
  const log = logOf(event, ...event.inputs.map((input) => argumentOf(chance, input, nodes)));
  const topics = chance.of<readonly Hex[]>([
    [12, log.topics],
    [1, log.topics.slice(0, chance.below(5))],
    [1, [...log.topics, bytesOf(chance, 32), bytesOf(chance, 32)].slice(0, 4)],
    [1, [toEventSelector(event), ...Array.from({ length: chance.below(4) }, () => bytesOf(chance, 32))]],
  ]);
  return { topics, data: chance.is(0.4) ? broken(chance, log.data) : log.data };
}

/**
 * Logs under the topics that are followed from any contract: most with valid arguments, some with missing or extra topics, some
 * with broken data. The same seed gives the same logs.
 */
export function randomLogs(
  seed: number,
  { count, nodes }: { count: number; nodes: readonly Hex[] },
): RawLog[] {
  const chance = chanceOf(seed);
  return Array.from({ length: count }, () => logFor(chance, nodes));
}
