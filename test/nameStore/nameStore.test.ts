import { expect, test } from "vitest";
import { contracts as withEnsv2 } from "../query/ensv2.ts";
import { isSlow } from "../support/size.ts";
import { playHistories } from "./histories.ts";

const runs = isSlow() ? 8 : 1;
const forms = [
  { title: "with ENSv2", isLeftOut: false, ...(withEnsv2.ensv2 && { ensv2: withEnsv2.ensv2 }) },
  { title: "without ENSv2", isLeftOut: !isSlow() },
  { title: "in a database that knows the case of ASCII alone", isLeftOut: !isSlow(), locale: "C" as const },
];

for (const { title, isLeftOut, ...form } of forms) {
  test.skipIf(isLeftOut)(
    `totals are those of PostgreSQL at each block, reorganisation and start: ${title}`,
    async () => {
      const seen = await playHistories({ runs, steps: 12, ...form });
      expect(seen.memory, JSON.stringify(seen)).toBeGreaterThan(30 * runs);
      expect(seen.found, JSON.stringify(seen)).toBeGreaterThan(5 * runs);
    },
  );
}

test.skipIf(!isSlow())(
  "a thread that dies, and writes that are not noted, cost time and no truth",
  async () => {
    const seen = await playHistories({ runs: 3, steps: 10, hasFaults: true });
    expect(seen.memory, JSON.stringify(seen)).toBeGreaterThan(5);
  },
);
