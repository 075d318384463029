import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportsOfChains } from "../ops/export/ofChains.ts";
import { counted, setStage, stage } from "./frame.ts";
import { readStory } from "./oracle.ts";
import { screenIds } from "./screens.ts";
import { openAppsStage } from "./stage.ts";
import { readTable, tableOf, writeTable } from "./table.ts";

/** The screens of ENS's own apps, on one chain with ENSv2, one layer 2 and one Namedex. The last one changes the story. */
const scenarios: Record<string, () => Promise<unknown>> = {
  names: () => import("./scenarios/names.ts"),
  manager: () => import("./scenarios/manager.ts"),
  records: () => import("./scenarios/records.ts"),
  portal: () => import("./scenarios/portal.ts"),
  events: () => import("./scenarios/events.ts"),
  contracts: () => import("./scenarios/contracts.ts"),
  reminders: () => import("./scenarios/reminders.ts"),
  last: () => import("./scenarios/last.ts"),
};

beforeAll(async () => {
  const opened = await openAppsStage();
  setStage(opened, await readStory(opened));
});
afterAll(() => stage?.close());

for (const [name, load] of Object.entries(scenarios)) describe(name, async () => void (await load()));

test("no log of the story was rejected or failed", async () => {
  expect(
    await stage.sql("select contract, event_type, anomaly from events where anomaly is not null"),
  ).toEqual([]);
});

test("plays each of the 35 screens, and docs/apps.md has it with the counted requests", () => {
  expect(screenIds).toHaveLength(35);
  expect([...counted.keys()].sort()).toEqual(screenIds.toSorted());
  const table = tableOf(counted);
  if (process.env.UPDATE_DOCS) writeTable(table);
  expect(readTable()).toBe(table);
});

exportsOfChains(
  () => {
    const { stack, local, base } = stage;
    return {
      stack,
      deployment: local.deployment,
      chains: [
        { chainId: local.deployment.chainId, chain: local.chain, url: local.anvil.url },
        { chainId: base.deployment.chainId, chain: base.chain, url: base.anvil.url },
      ],
    };
  },
  {
    domains: [31337, 8453],
    events: [31337, 8453],
    ensv2_entries: [31337],
    ensv2_links: [31337],
    ensv2_roles: [31337],
  },
);
