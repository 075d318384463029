import { expect } from "vitest";
import { ethNode, setText } from "../../devnet/acts.ts";
import { screen, stage } from "../frame.ts";

/* What changes the story, and so comes after all other screens. */

type Status = { chains: { chain: string; indexed_block_number: number }[] };

screen("P20", async ({ get }) => {
  const { chain, cast } = stage;
  const write = { key: "status", value: "written just now" };
  const { blockNumber } = await setText(chain, {
    ...{ from: cast.alice, resolver: "resolver5", node: ethNode("alice"), ...write },
  });
  let polls = 0;
  const indexed = async () => {
    polls++;
    const { chains } = await get<Status>("/indexing-status");
    return chains.find((one) => one.chain === "devnet")?.indexed_block_number;
  };
  await expect.poll(indexed, { timeout: 60_000, interval: 200 }).toBeGreaterThanOrEqual(Number(blockNumber));
  const { body } = await stage.stack.api<{ value: string }>("/domain/alice.eth/records/text/status");
  expect(body.value).toBe(write.value);
  return { theirs: polls };
});
