import { type Address, zeroAddress } from "viem";
import { beforeAll, expect, test } from "vitest";
import {
  addressOf,
  buyName,
  DAY,
  deployUserRegistry,
  GRACE_V2,
  PREMIUM,
  readEntry,
  registerEntry,
  renewEntry,
  renewName,
  setNextTime,
  setSubregistry,
  unregisterEntry,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswersAsOnChain } from "../ensv2Answers.ts";
import { expectHistoriesAsOnChain } from "../ensv2Histories.ts";
import { stage } from "./stage.ts";

/* Names below a parent that ends and later returns. They have no logs of it. */

const [kid, deep, own] = ["kid.lapsing.eth", "deep.kid.lapsing.eth", "own.lapsing.eth"];
const names = ["lapsing.eth", kid, deep, own];

/** The last block before these stories. */
let begun: bigint;
/** The parent's first end. */
let expiry: bigint;

beforeAll(async () => {
  const { chain, cast } = stage;
  const { alice: from, bob, carol, dave } = cast;
  begun = await chain.client.getBlockNumber();
  for (const name of ["belowLapsing", "belowKid"]) await deployUserRegistry(chain, { from, name });
  const subregistry = addressOf(chain, "belowLapsing");
  await buyName(chain, { from, label: "lapsing", subregistry, duration: 28n * DAY });
  ({ expiry } = await readEntry(chain, { label: "lapsing" }));
  const [below, far] = [{ from, registry: "belowLapsing" }, expiry + 9n * YEAR];
  const belowKid = addressOf(chain, "belowKid");
  await registerEntry(chain, { ...below, label: "kid", owner: bob, expiry: far, subregistry: belowKid });
  await registerEntry(chain, { from, registry: "belowKid", label: "deep", owner: carol, expiry: far });
  await registerEntry(chain, { ...below, label: "own", owner: dave, expiry: expiry - DAY });
});

type Owned = {
  address: Address;
  from_timestamp: number;
  to_timestamp: number | null;
  to_block: number | null;
  ended_by?: string;
};

/** The periods of a name from the second one on: beginning and end in seconds after the parent's first end, and their causes. */
async function readLaterPeriods(name: string): Promise<[Address, number | null, number | null, string?][]> {
  const { body } = await stage.stack.api<{ history: Owned[] }>(`/domain/${name}/ownership-history`);
  const after = (time: number | null) => time && time - Number(expiry);
  return body.history.map(
    ({ address, from_timestamp: from, to_timestamp: to, to_block, ended_by }, index) => [
      ...([address, index === 0 ? null : after(from), after(to)] as const),
      ...(ended_by === undefined && to_block === null ? [] : [ended_by ?? "a log"]),
    ],
  ) as never;
}

/** Performs an act at a second counted from the parent's first end. */
async function actAt(seconds: bigint, act: () => Promise<unknown>): Promise<number> {
  await setNextTime(stage.chain, expiry + seconds);
  await act();
  return Number(seconds);
}

test("a parent renewed late leaves a gap in the history of each name below it", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob, carol, dave } = cast;
  // By so little that it stays ended.
  await actAt(5n * DAY, () => renewName(chain, { from, label: "lapsing", duration: DAY }));
  await expectAnswersAsOnChain(stage, names);
  const renewed = await actAt(6n * DAY, () => renewName(chain, { from, label: "lapsing" }));
  await expectAnswersAsOnChain(stage, names);
  expect(await readLaterPeriods(kid)).toEqual([
    [bob, null, 0, "expiry"],
    [bob, renewed, null],
  ]);
  expect(await readLaterPeriods(deep)).toEqual([
    [carol, null, 0, "expiry"],
    [carol, renewed, null],
  ]);
  // Its own end came earlier.
  expect(await readLaterPeriods(own)).toEqual([[dave, null, -Number(DAY), "expiry"]]);
  // In its grace a .eth name still belongs to its holder.
  expect(await readLaterPeriods("lapsing.eth")).toEqual([[from, null, null]]);
  await expectHistoriesAsOnChain(stage, { names, from: begun });
});

test("a subname renewed late also has a gap", async () => {
  const { chain, cast } = stage;
  const entry = { from: cast.alice, registry: "belowLapsing", label: "own" };
  const renewed = await actAt(7n * DAY, () => renewEntry(chain, { ...entry, expiry: expiry + 9n * YEAR }));
  await expectAnswersAsOnChain(stage, names);
  expect(await readLaterPeriods(own)).toEqual([
    [cast.dave, null, -Number(DAY), "expiry"],
    [cast.dave, renewed, null],
  ]);
});

test("a parent that is unregistered, or removes its registry, ends names below it by its log", async () => {
  const { chain, cast } = stage;
  const { alice: from, bob, carol } = cast;
  const entry = { from, registry: "belowLapsing", label: "kid" };
  const dropped = await actAt(8n * DAY, () => unregisterEntry(chain, entry));
  const revived = await actAt(9n * DAY, () => renewEntry(chain, { ...entry, expiry: expiry + 9n * YEAR }));
  const [off, on] = [zeroAddress, addressOf(chain, "belowLapsing")];
  const taken = await actAt(10n * DAY, () =>
    setSubregistry(chain, { from, label: "lapsing", subregistry: off }),
  );
  const linked = await actAt(11n * DAY, () =>
    setSubregistry(chain, { from, label: "lapsing", subregistry: on }),
  );
  await expectAnswersAsOnChain(stage, names);
  expect((await readLaterPeriods(kid)).slice(1)).toEqual([[bob, Number(6n * DAY), dropped, "a log"]]);
  expect((await readLaterPeriods(deep)).slice(1)).toEqual([
    [carol, Number(6n * DAY), dropped, "a log"],
    [carol, revived, taken, "a log"],
    [carol, linked, null],
  ]);
  await expectHistoriesAsOnChain(stage, { names, from: begun });
});

test("a parent bought by another account with its registry restores names below it", async () => {
  const { chain, cast } = stage;
  const { bob, carol } = cast;
  const end = (await readEntry(chain, { label: "lapsing" })).expiry - expiry;
  const subregistry = addressOf(chain, "belowLapsing");
  await setNextTime(chain, expiry + end + GRACE_V2 + PREMIUM);
  await buyName(chain, { from: bob, label: "lapsing" });
  await expectAnswersAsOnChain(stage, names);
  await setSubregistry(chain, { from: bob, label: "lapsing", subregistry });
  await expectAnswersAsOnChain(stage, names);
  const [ended, again] = (await readLaterPeriods(deep)).slice(-2);
  expect(ended).toMatchObject({ 0: carol, 2: Number(end), 3: "expiry" });
  expect(again).toMatchObject({ 0: carol, 2: null });
  await expectHistoriesAsOnChain(stage, { names, from: begun });
});
