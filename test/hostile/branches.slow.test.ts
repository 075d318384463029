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
  const answers: string[] = [];
  let isOver = false;
  const bystander = async () => {
    while (!isOver) {
      const { status, body } = await stage.stack.api<{ error?: { code: string } }>(`/whois/${VICTIM}`);
      answers.push(status === 200 ? "answered" : `${status} ${body.error?.code}`);
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
  // Who waits too long for the tables that a reorganisation locks is told to ask again, and is answered then.
  const refused = answers.flatMap((answer, i) => (answer === "answered" ? [] : [[answer, answers[i + 1]]]));
  expect(refused.filter(([answer]) => answer !== "503 INDEX_NOT_READY")).toEqual([]);
  expect(refused.filter(([, next]) => next !== undefined && next !== "answered")).toEqual([]);
  // The journal has the chain's own blocks, up to its head.
  const head = await stage.chain.client.getBlock();
  const [last] = await stage.stack.sql<{ number: number; hash: string }>(
    "select number::int, hash from blocks order by number desc limit 1",
  );
  expect(last).toEqual({ number: Number(head.number), hash: head.hash });
});
