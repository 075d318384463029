import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { attacksByBranches } from "./attacks/branches.ts";
import { DEEP_CHAIN_ID, type HostileStage, openHostileStage, VICTIM } from "./stage.ts";

/* The deepest reorganisations that a chain has before its blocks are final: others are answered meanwhile. */

let stage: HostileStage;
beforeAll(async () => {
  const databaseServer = inject("databaseServerUrl");
  stage = await openHostileStage({ databaseServer, chainId: DEEP_CHAIN_ID });
});
afterAll(() => stage?.close());

test.each(attacksByBranches({ seed: inject("seed"), turns: 2, depth: 64 }))("$name", async ({ run }) => {
  const statuses: number[] = [];
  let isOver = false;
  const bystander = async () => {
    while (!isOver) statuses.push((await stage.stack.api(`/whois/${VICTIM}`)).status);
  };
  const asking = bystander();
  try {
    await run(stage);
    await stage.stack.waitForHead();
  } finally {
    isOver = true;
    await asking;
  }
  expect(statuses.length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  // The journal has the chain's own blocks, up to its head.
  const head = await stage.chain.client.getBlock();
  const [last] = await stage.stack.sql<{ number: number; hash: string }>(
    "select number::int, hash from blocks order by number desc limit 1",
  );
  expect(last).toEqual({ number: Number(head.number), hash: head.hash });
});
