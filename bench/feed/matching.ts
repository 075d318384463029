import { namehash } from "viem";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { indexSubscriptions, type Subscription } from "../../src/api/features/webhooks/subscriptions.ts";
import type { Figure } from "../report.ts";
import { spreadOf } from "./stage.ts";

/** How many times as long a change may take among all subscriptions as among few. A scan would take a hundred times as long. */
const MAX_RATIO = 5;
const FEW = 100;
const LOOKUPS = 2_000;
const ROUNDS = 25;

const nameOf = (i: number): string => `pay.name${i}.eth`;

/** Subscriptions of names, each of another one: half by the name, half by what is above it. */
const subscriptionsOf = (count: number): Subscription[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    keyId: 1,
    timing: "instant" as const,
    filters: id % 2 === 0 ? { node: namehash(nameOf(id)) } : { subtree: `name${id}.eth` },
  }));

const changeOf = (i: number): ChangeRow => ({
  number: i,
  state: "new" as const,
  type: "record.text.changed",
  chainId: 1,
  source: "text_records",
  slot: "text",
  key: [],
  node: namehash(nameOf(i)),
  name: nameOf(i),
  resolver: `0x${"01".repeat(20)}`,
  addresses: [],
  blockNumber: 1,
  blockHash: "0x",
  blockTimestamp: 1,
  transactionHash: "0x",
  logIndex: 0,
  details: {},
  oldValue: null,
  newValue: null,
  takenBack: null,
});

/** Microseconds of one change among subscriptions: the middle of some rounds. */
function timeAmong(count: number): number {
  const known = indexSubscriptions(subscriptionsOf(count));
  const rows = Array.from({ length: LOOKUPS }, (_, i) => changeOf(i % count));
  const rounds = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    for (const row of rows) {
      if (known.wanting(row, "instant").length !== 1) throw new Error(`${row.name} is not found once`);
    }
    return ((performance.now() - began) / LOOKUPS) * 1_000;
  });
  return spreadOf(rounds).p50;
}

/** How long it takes to find who wants a change, among many subscriptions against few. */
export function measureMatching(subscriptions: number): Figure[] {
  const few = timeAmong(Math.min(FEW, subscriptions));
  const many = timeAmong(subscriptions);
  const name = `who wants a change, among ${subscriptions.toLocaleString("en")}`;
  return [
    {
      bench: "feed",
      name,
      value: many,
      unit: "µs p50",
      ratio: many / few,
      target: { of: "ratio", atMost: MAX_RATIO },
    },
  ];
}
