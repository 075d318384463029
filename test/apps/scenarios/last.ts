import { expect } from "vitest";
import { ethNode, setText } from "../../../devnet/acts.ts";
import { screen, stage } from "../frame.ts";

/* What changes the story, and so runs after all other screens. */

type Status = { chains: { chain: string; indexed_block_number: number }[] };

const BEFORE_AND_AFTER = 2;

screen("P20", async ({ get }) => {
  const { chain, cast, stack } = stage;
  const blockOf = ({ chains }: Status) =>
    chains.find((one) => one.chain === "devnet")?.indexed_block_number ?? expect.fail("no chain devnet");
  const poll = async () => blockOf(await get<Status>("/indexing-status"));
  const before = await poll();
  const write = { key: "status", value: "written just now" };
  const { blockNumber } = await setText(chain, {
    from: cast.alice,
    resolver: "resolver5",
    node: ethNode("alice"),
    ...write,
  });
  expect(before).toBeLessThan(Number(blockNumber));
  // The number of polls until then is random, and so is not counted.
  const indexed = async () => blockOf((await stack.api<Status>("/indexing-status")).body);
  await expect.poll(indexed, { timeout: 60_000, interval: 200 }).toBeGreaterThanOrEqual(Number(blockNumber));
  const { body } = await stack.api<{ value: string }>("/domain/alice.eth/records/text/status");
  expect(body.value).toBe(write.value);
  expect(await poll()).toBeGreaterThanOrEqual(Number(blockNumber));
  return { theirs: BEFORE_AND_AFTER };
});
