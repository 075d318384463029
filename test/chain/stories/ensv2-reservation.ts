import { zeroAddress } from "viem";
import { expect, test } from "vitest";
import {
  addressOf,
  attempt,
  buyName,
  DAY,
  GRACE_V2,
  latestTime,
  migrateUnwrapped,
  readEntry,
  registerEntry,
  registerReferred,
  renewEntry,
  renewName,
  warpTo,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswerAsOnChain } from "../ensv2Answers.ts";
import { lower } from "../stage.ts";
import { beforeIndexing, listOwners, stage } from "./stage.ts";

/* Names that are kept for their ENSv1 holders, even after the change. */

beforeIndexing(async (chain, { alice: from }) => {
  for (const label of ["waits", "promised", "lapses"]) {
    await registerReferred(chain, { from, label, resolver: "resolver5", duration: 5n * YEAR });
  }
});

/** The batch registrar's acts before the change. */
const reserve = async (label: string, expiry: bigint) =>
  registerEntry(stage.chain, {
    from: stage.cast.deployer,
    label,
    owner: zeroAddress,
    expiry,
    resolver: addressOf(stage.chain, "ensV1Resolver"),
  });

const inDays = async (days: bigint) => (await latestTime(stage.chain)) + days * DAY;

test("a name that is only reserved belongs to ENSv1, and is renewed in both systems at once", async () => {
  const { chain, cast } = stage;
  await reserve("waits", await inDays(900n));
  const before = await expectAnswerAsOnChain(stage, "waits.eth");
  await renewName(chain, { from: cast.bob, label: "waits", registrar: "renewerV1" });
  const after = await expectAnswerAsOnChain(stage, "waits.eth");
  expect(BigInt(after.expiry_timestamp ?? 0) - BigInt(before.expiry_timestamp ?? 0)).toBe(YEAR);
  const paid = await stage.events("waits.eth");
  expect(paid.filter(({ contract }) => contract.startsWith("ENSV2_RENEWER"))).toHaveLength(1);
});

test("a reservation registered without a resolver has none: ENSv1's is gone without a log", async () => {
  const { chain, cast } = stage;
  await reserve("promised", await inDays(900n));
  await registerEntry(chain, { from: cast.deployer, label: "promised", owner: cast.bob, expiry: 0n });
  await expectAnswerAsOnChain(stage, "promised.eth");
  expect((await listOwners("promised.eth")).at(-1)).toEqual([lower(cast.bob), "token", "LabelRegistered"]);
});

test("a lapsed reservation leaves the name to ENSv1, and its holder can no longer migrate", async () => {
  const { chain, cast } = stage;
  const end = await inDays(10n);
  await reserve("lapses", end);
  for (const timestamp of [end - 1n, end, end + 1n]) {
    await warpTo(chain, { timestamp });
    const { protocol } = await expectAnswerAsOnChain(stage, "lapses.eth");
    expect(protocol).toBe("ensv1");
  }
  const migration = await attempt(() => migrateUnwrapped(chain, { from: cast.alice, label: "lapses" }));
  expect(migration.outcome).toBe("reverted");
});

test("a lapsed reservation becomes another account's registration once it can be bought again", async () => {
  const { chain, cast } = stage;
  const { expiry } = await readEntry(chain, { label: "lapses" });
  const early = await attempt(() => buyName(chain, { from: cast.bob, label: "lapses" }));
  expect(early.outcome).toBe("reverted");
  await warpTo(chain, { timestamp: expiry + GRACE_V2 });
  await buyName(chain, { from: cast.bob, label: "lapses" });
  expect((await expectAnswerAsOnChain(stage, "lapses.eth")).protocol).toBe("ensv2");
});

test("a reservation can begin in the past, be renewed there, and return", async () => {
  const { chain, cast } = stage;
  for (const days of [-20n, -10n]) await reserve("past", await inDays(days));
  await renewEntry(chain, { from: cast.deployer, label: "past", expiry: await inDays(-1n) });
  const { expiry } = await readEntry(chain, { label: "past" });
  const entries = () =>
    stage.sql(`select expiry::text, owner, is_registered from ensv2_entries where label = 'past'`);
  const ended = { owner: null, is_registered: false };
  expect(await entries()).toEqual([{ expiry: String(expiry), ...ended }]);
  const later = await inDays(30n);
  await reserve("past", later);
  expect(await entries()).toEqual([{ expiry: String(later), ...ended }]);
});
