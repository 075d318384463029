// Also runs as: long
import { concat, type Hex, slice } from "viem";
import { expect, inject, test } from "vitest";
import { type Chance, chanceOf } from "../../bench/api/chance.ts";
import { dnsEncode } from "../../devnet/acts.ts";
import { decodeDnsName, isLabelOf, isPrintable, nodeOfLabels, unknownLabel } from "../../src/ens/name.ts";
import { textWritesOf } from "../../src/ens/textCalldata.ts";
import { sizeOf } from "../support/size.ts";
import { randomLogs } from "./randomLogs.ts";

/*
 * Code that reads strangers' bytes before any contract has checked them. Random logs also go through the indexer itself, in
 * hostile.test.ts.
 */
const seed = inject("seed");
const runs = Number(process.env.FUZZ_RUNS ?? sizeOf({ short: 1_000, long: 10_000 }));

const bytesOf = (chance: Chance, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => chance.below(256));

/** A name in DNS wire format, most often broken. */
function packetOf(chance: Chance): Hex {
  const labels = Array.from({ length: chance.below(6) }, () => bytesOf(chance, 1 + chance.below(40)));
  const packet = dnsEncode(labels);
  const cut = chance.below((packet.length - 2) / 2 + 1);
  return chance.of<Hex>([
    [2, packet],
    [1, cut === 0 ? "0x" : slice(packet, 0, cut)],
    [1, concat([packet, packet])],
    [1, `0x${Buffer.from(bytesOf(chance, chance.below(300))).toString("hex")}`],
  ]);
}

test(`a DNS name of any bytes is read or refused, and never shows a label that is not its own (FUZZ_SEED=${seed})`, () => {
  const chance = chanceOf(seed);
  for (let run = 0; run < runs; run++) {
    const packet = packetOf(chance);
    const labels = decodeDnsName(packet);
    for (const { label, labelhash } of labels ?? []) {
      const shown = isPrintable(label) && isLabelOf(labelhash, label) ? label : unknownLabel(labelhash);
      expect(shown, packet).not.toMatch(/[.\0]/);
    }
    if (labels !== null)
      expect(nodeOfLabels(labels.map(({ labelhash }) => labelhash))).toMatch(/^0x[0-9a-f]{64}$/);
  }
});

const selectors = ["0x10f13a8c", "0xac9650d8", "0xe32954eb"] as const;

test(`calldata of any bytes yields texts or none (FUZZ_SEED=${seed})`, () => {
  const nodes = [`0x${"11".repeat(32)}`] as const;
  for (const [index, { data }] of randomLogs(seed, { count: runs, nodes }).entries()) {
    const input = concat([selectors[index % selectors.length] ?? "0x", data]);
    for (const write of textWritesOf(input)) expect(write.node).toMatch(/^0x[0-9a-f]{64}$/);
  }
});
