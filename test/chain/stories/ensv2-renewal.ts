import { describe, expect, test } from "vitest";
import {
  addressOf,
  attempt,
  buyName,
  DAY,
  deployResolver,
  deployUserRegistry,
  GRACE_V2,
  latestTime,
  PREMIUM,
  ROLES,
  ROLES_OF_AN_OWNER,
  readEntry,
  registerEntry,
  renewEntry,
  renewName,
  setNextTime,
  unregisterEntry,
  warpTo,
  writeToResolver,
  YEAR,
} from "../../../devnet/acts.ts";
import { expectAnswerAsOnChain, expectAnswersAsOnChain } from "../ensv2Answers.ts";
import { stage } from "./stage.ts";

test("a name changes its state at each second at which its life does", async () => {
  const { chain, cast } = stage;
  const { deployer, alice, bob, dave } = cast;
  await deployUserRegistry(chain, { from: alice, name: "own" });
  await deployResolver(chain, { from: alice, name: "records" });
  const subregistry = addressOf(chain, "own");
  const resolver = addressOf(chain, "records");
  const write = { kind: "text", key: "url", value: "https://native.example" } as const;
  await writeToResolver(chain, { from: alice, resolver: "records", name: ["native", "eth"], write });
  await buyName(chain, { from: alice, label: "native", subregistry, resolver, duration: 28n * DAY });
  const { expiry } = await readEntry(chain, { label: "native" });
  const below = { from: alice, registry: "own" };
  await registerEntry(chain, { ...below, label: "sub", owner: bob, expiry: expiry - DAY });
  await registerEntry(chain, { ...below, label: "held", owner: dave, expiry: expiry + YEAR });
  const roles = ROLES_OF_AN_OWNER | ROLES.unregister;
  const far = { from: deployer, label: "dropped", owner: bob, expiry: expiry + YEAR };
  await registerEntry(chain, { ...far, roles });
  await unregisterEntry(chain, { from: bob, label: "dropped" });
  const dropped = (await readEntry(chain, { label: "dropped" })).expiry;
  const names = ["native.eth", "dropped.eth"];
  await expectAnswersAsOnChain(stage, [...names, "sub.native.eth", "held.native.eth"]);
  const ends = [expiry, dropped].flatMap((end) => [end, end + GRACE_V2, end + GRACE_V2 + PREMIUM]);
  const seconds = [expiry - DAY, ...ends].flatMap((end) => [end - 1n, end, end + 1n]).toSorted(byTime);
  for (const timestamp of new Set(seconds)) {
    if (timestamp <= (await latestTime(chain))) continue;
    await warpTo(chain, { timestamp });
    const more = timestamp < expiry ? ["sub.native.eth", "held.native.eth"] : [];
    await expectAnswersAsOnChain(stage, [...names, ...more]);
  }
});

const byTime = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

describe("a name is renewed", () => {
  test("in grace, from its old expiry on: too short a renewal leaves it ended", async () => {
    const { chain, cast } = stage;
    await buyName(chain, { from: cast.alice, label: "brief", resolver: cast.dave, duration: 28n * DAY });
    const { expiry } = await readEntry(chain, { label: "brief" });
    await warpTo(chain, { timestamp: expiry + 5n * DAY });
    await renewName(chain, { from: cast.bob, label: "brief", duration: DAY });
    expect((await expectAnswerAsOnChain(stage, "brief.eth")).availability_status).toBe("grace");
    await renewName(chain, { from: cast.bob, label: "brief" });
    expect((await expectAnswerAsOnChain(stage, "brief.eth")).availability_status).toBe("registered");
  });

  test("on the last second of grace, and not a second later", async () => {
    const { chain, cast } = stage;
    for (const label of ["rescued", "missed"])
      await buyName(chain, { from: cast.alice, label, duration: 28n * DAY });
    const [rescued, missed] = [
      await readEntry(chain, { label: "rescued" }),
      await readEntry(chain, { label: "missed" }),
    ];
    await setNextTime(chain, rescued.expiry + GRACE_V2 - 1n);
    await renewName(chain, { from: cast.bob, label: "rescued" });
    expect((await expectAnswerAsOnChain(stage, "rescued.eth")).availability_status).toBe("registered");
    await setNextTime(chain, missed.expiry + GRACE_V2);
    const late = await attempt(() => renewName(chain, { from: cast.bob, label: "missed" }));
    expect(late.outcome).toBe("reverted");
    expect((await expectAnswerAsOnChain(stage, "missed.eth")).availability_status).toBe("premium");
  });
});

test("a name given up and then renewed by the registry's keeper has no holder", async () => {
  const { chain, cast } = stage;
  const { deployer, bob } = cast;
  const roles = ROLES_OF_AN_OWNER | ROLES.unregister;
  await registerEntry(chain, { from: deployer, label: "revived", owner: bob, roles, resolver: bob });
  await unregisterEntry(chain, { from: bob, label: "revived" });
  await expectAnswerAsOnChain(stage, "revived.eth");
  const expiry = (await readEntry(chain, { label: "revived" })).expiry + YEAR;
  await renewEntry(chain, { from: deployer, label: "revived", expiry });
  const { ownership } = await expectAnswerAsOnChain(stage, "revived.eth");
  expect(ownership).not.toHaveProperty("owner");
});
