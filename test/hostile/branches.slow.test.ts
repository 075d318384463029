import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { attacksByBranches } from "./attacks/branches.ts";
import { DEEP_CHAIN_ID, type HostileStage, openHostileStage, VICTIM } from "./stage.ts";

/* The deepest reorganisations of a chain with unfinalised blocks: others are answered meanwhile. */

let stage: HostileStage;
beforeAll(async () => {
  const databaseServer = inject("databaseServerUrl");
  stage = await openHostileStage({ databaseServer, chainId: DEEP_CHAIN_ID });
});
afterAll(() => stage?.close());

test.each(attacksByBranches({ seed: inject("seed"), turns: 2, depth: 64 }))("$name", async ({ run }) => {
  const answers: string[] = [];
  let isOver = false;
  const bystander = async () => {
    while (!isOver) {
      const reply = await fetch(`${stage.stack.url}/whois/${VICTIM}`);
      const { error } = (await reply.json()) as { error?: { code: string } };
      answers.push(reply.status === 200 ? "answered" : `${reply.status} ${error?.code}`);
      await sleep(Number(reply.headers.get("retry-after") ?? 0) * 1_000);
    }
  };
  const asking = bystander();
  try {
    await run(stage);
    await stage.stack.waitForHead();
  } finally {
    isOver = true;
    await asking;
  }
  expect(answers).toContain("answered");
  // A caller who waits too long for tables locked by a reorganisation is told when to ask again, and is then answered, unless it
  // is the moment of the second one.
  const isExpected = (answer: string) => answer === "answered" || answer === "503 INDEX_NOT_READY";
  expect(answers.filter((answer) => !isExpected(answer))).toEqual([]);
  expect(longestRefusal(answers)).toBeLessThanOrEqual(2);
  // The journal has the chain's own blocks, up to its head.
  const head = await stage.chain.client.getBlock();
  const [last] = await stage.stack.sql<{ number: number; hash: string }>(
    "select number::int, hash from blocks order by number desc limit 1",
  );
  expect(last).toEqual({ number: Number(head.number), hash: head.hash });
});

/** Maximum number of refusals in a row. */
const longestRefusal = (answers: readonly string[]): number =>
  Math.max(
    ...answers
      .join(" ")
      .split("answered")
      .map((refusals) => refusals.split("INDEX_NOT_READY").length - 1),
  );
