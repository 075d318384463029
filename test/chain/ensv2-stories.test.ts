import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeRows, reportOf, type Verified } from "../ops/runVerify.ts";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { openStoryStage, stage } from "./stories/stage.ts";

/**
 * The stories of ENSv2, on one chain and one index as those of ENSv1. The first is the change, after which the others
 * happen. After each, the tables are compared with what the contracts answer.
 */
const stories: Record<string, () => Promise<unknown>> = {
  change: () => import("./stories/ensv2-change.ts"),
  migration: () => import("./stories/ensv2-migration.ts"),
  registration: () => import("./stories/ensv2-registration.ts"),
  reservation: () => import("./stories/ensv2-reservation.ts"),
  renewal: () => import("./stories/ensv2-renewal.ts"),
  roles: () => import("./stories/ensv2-roles.ts"),
  transfer: () => import("./stories/ensv2-transfer.ts"),
  subnames: () => import("./stories/ensv2-subnames.ts"),
  lapse: () => import("./stories/ensv2-lapse.ts"),
};

beforeAll(() => openStoryStage({ ensv2: true }), 300_000);
afterAll(() => stage?.close());

for (const [name, load] of Object.entries(stories)) {
  describe(name, async () => {
    await load();
    test("every table is as the contracts of ENSv2 say", () => expectEnsv2AsOnChain(stage));
  });
}

describe("npm run verify", () => {
  const verified = (): Verified => {
    const { local, stack } = stage;
    return { databaseUrl: stack.databaseUrl, rpcUrl: local.anvil.url, deployment: local.deployment };
  };
  const all = ["--samples", "20000"];

  test("finds no difference in names of both systems", async () => {
    await stage.stack.waitForHead();
    const report = await reportOf(verified(), all);
    expect(report.differences).toEqual([]);
    expect(report).toMatchObject({ code: 0, complete: true });
    for (const kind of [".eth name, in ENSv2", "subname, in ENSv2"])
      expect(report.kinds[kind], kind).toBeGreaterThan(3);
  });

  test("finds what registries of ENSv2 do not say", async () => {
    const wrong = { owner: `0x${"de".repeat(20)}`, resolver: `0x${"ad".repeat(20)}` };
    await changeRows(
      stage.stack,
      `update domains set effective_owner_address = $1, resolver = $2, expiry_timestamp = 7000000000, is_wrapped = true
       where full_name = 'kid.deep.eth'`,
      [wrong.owner, wrong.resolver],
    );
    const { differences } = await reportOf(verified(), ["--name", "kid.deep.eth"]);
    expect(differences.map(({ column, index }) => [column, index])).toEqual([
      ["is_wrapped", "true"],
      ["effective_owner_address", wrong.owner],
      ["expiry_timestamp", "7000000000"],
      ["resolver", wrong.resolver],
    ]);
  });
});

test("no log was refused or failed", async () => {
  expect(
    await stage.sql("select contract, event_type, anomaly from events where anomaly is not null"),
  ).toEqual([]);
});
