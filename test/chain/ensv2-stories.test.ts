// Also runs as: slow
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeRows, reportOf, type Verified } from "../ops/runVerify.ts";
import { isSlow, wasShown } from "../support/size.ts";
import { expectEnsv2AsOnChain } from "./ensv2Judge.ts";
import { expectEventsOfStage } from "./eventsOfStage.ts";
import { expectItsEvents } from "./everyEvent.ts";
import { openStoryStage, stage } from "./stories/stage.ts";

/**
 * The stories of ENSv2, on one chain and one index as those of ENSv1. The first is the change, and the others happen after it.
 * The tables are compared with the contracts after each.
 */
const stories: Record<string, () => Promise<unknown>> = {
  change: () => import("./stories/ensv2-change.ts"),
  registration: () => import("./stories/ensv2-registration.ts"),
  reservation: () => import("./stories/ensv2-reservation.ts"),
  renewal: () => import("./stories/ensv2-renewal.ts"),
  roles: () => import("./stories/ensv2-roles.ts"),
  transfer: () => import("./stories/ensv2-transfer.ts"),
  subnames: () => import("./stories/ensv2-subnames.ts"),
  lapse: () => import("./stories/ensv2-lapse.ts"),
};

/** The part that `npm test` runs. The slow tests run the others, after a change with a question at every block. */
const shortStories = ["change", "registration", "renewal", "roles", "subnames", "lapse"];
const slowStories = ["change", "reservation", "transfer"];
const told = Object.entries(stories).filter(([name]) =>
  (isSlow() ? slowStories : shortStories).includes(name),
);

beforeAll(() => openStoryStage({ ensv2: true }), 300_000);
afterAll(() => stage?.close());

for (const [name, load] of told) {
  describe(name, async () => {
    await load();
    test("every table matches the contracts of ENSv2", () => expectEnsv2AsOnChain(stage));
  });
}

type Verification = {
  status: string;
  fields: { table: string; column: string; status: string; index: string | null }[];
  left_out: string[];
};

/** The answer to a caller who has a name compared. */
async function verifyName(name: string): Promise<Verification> {
  const { status, body } = await stage.stack.api<Verification>(`/domain/${encodeURIComponent(name)}/verify`);
  expect([name, status]).toEqual([name, 200]);
  return body;
}

const differencesOf = ({ fields }: Verification) =>
  fields
    .filter(({ status }) => status === "different")
    .map(({ table, column, index }) => [`${table}.${column}`, index]);

describe.skipIf(wasShown())("a name compared by a caller", () => {
  test("shows no difference, whichever system answers for it", async () => {
    const rows = await stage.sql<{ name: string }>(
      `select full_name as name from domains where is_name_known and full_name like '%.eth'
       order by registry is null, full_name limit 40`,
    );
    const compared = new Set<string>();
    for (const { name } of rows) {
      const answer = await verifyName(name);
      expect([name, answer.status, differencesOf(answer)]).toEqual([name, "equal", []]);
      for (const { table, column, status } of answer.fields)
        if (status === "equal") compared.add(`${table}.${column}`);
    }
    const ofEntries = ["owner", "expiry", "token_id", "subregistry", "resolver"];
    expect([...compared]).toEqual(expect.arrayContaining(ofEntries.map((one) => `ensv2_entries.${one}`)));
  });

  test("shows a difference if the entry differs from the registry's", async () => {
    const wrong = `0x${"de".repeat(20)}`;
    const before = "select * from ensv2_entries where label = 'shared-roles'";
    const [row] = await stage.sql(before);
    await changeRows(
      stage.stack,
      `update ensv2_entries set owner = $1, resolver = $1, subregistry = $1, expiry = 7000000000, token_id = 5
       where label = 'shared-roles'`,
      [wrong],
    );
    const found = differencesOf(await verifyName("shared-roles.eth"));
    await changeRows(
      stage.stack,
      `update ensv2_entries set owner = $1, resolver = $2, subregistry = $3, expiry = $4, token_id = $5
       where label = 'shared-roles'`,
      [row?.owner, row?.resolver, row?.subregistry, row?.expiry, row?.token_id],
    );
    expect(found).toEqual([
      ["ensv2_entries.owner", wrong],
      ["ensv2_entries.expiry", "7000000000"],
      ["ensv2_entries.token_id", "5"],
      ["ensv2_entries.subregistry", wrong],
      ["ensv2_entries.resolver", wrong],
    ]);
    expect(differencesOf(await verifyName("shared-roles.eth"))).toEqual([]);
  });
});

test("every list of events has the chain's logs, each once and in order", async () => {
  expect(await expectEventsOfStage(stage)).toBeGreaterThan(150);
});

test("every followed event of ENSv2 is on the chain", async () => {
  const { deployment } = stage.local;
  // The slow tests have the same exceptions as the short ones.
  if (isSlow()) await expectItsEvents("ensv2-stories", deployment, [stage.local]);
  else await expectItsEvents("ensv2-stories.test.ts", deployment, [stage.local]);
});

describe("npm run verify", () => {
  const verified = (): Verified => {
    const { local, stack } = stage;
    return { databaseUrl: stack.databaseUrl, rpcUrl: local.anvil.url, deployment: local.deployment };
  };
  const all = ["--samples", "20000"];

  test.runIf(isSlow())("finds no difference in names of both systems", async () => {
    await stage.stack.waitForHead();
    const report = await reportOf(verified(), all);
    expect(report.differences).toEqual([]);
    expect(report).toMatchObject({ code: 0, complete: true });
    for (const kind of [".eth name, in ENSv2", "subname, in ENSv2"])
      expect(report.kinds[kind], kind).toBeGreaterThan(3);
  });

  test.skipIf(wasShown())("finds rows that ENSv2 registries contradict", async () => {
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
    expect(differencesOf(await verifyName("kid.deep.eth")).map(([column]) => column)).toEqual(
      ["is_wrapped", "effective_owner_address", "expiry_timestamp", "resolver"].map(
        (one) => `domains.${one}`,
      ),
    );
  });
});

test("no log was rejected or failed", async () => {
  expect(
    await stage.sql("select contract, event_type, anomaly from events where anomaly is not null"),
  ).toEqual([]);
});
