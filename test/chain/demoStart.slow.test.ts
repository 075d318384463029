import type { Hex } from "viem";
import { expect, test } from "vitest";
import { type Chain, rpc } from "../../devnet/acts.ts";
import { STORY_SECONDS } from "../../devnet/chapters.ts";
import { playDemo } from "../../devnet/demo.ts";
import { startLocalChain } from "../../devnet/localChain.ts";

const start = 1_700_000_000n;

type Block = { hash: Hex; timestamp: Hex; number: Hex };

/** Plays it on a new chain. Returns the hash of every block, and every log. */
async function play() {
  const { anvil, chain } = await startLocalChain({ timestamp: Number(start) });
  try {
    await playDemo(chain, { start });
    const head = Number(await rpc<Hex>(chain, "eth_blockNumber"));
    const blocks: Block[] = [];
    for (let number = 0; number <= head; number++) blocks.push(await readBlock(chain, number));
    const logs = await rpc<unknown[]>(chain, "eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]);
    return { blocks, logs };
  } finally {
    await anvil.stop();
  }
}

const readBlock = (chain: Chain, number: number) =>
  rpc<Block>(chain, "eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);

test("the demo from a fixed start is identical byte for byte, and ends when its story ends", async () => {
  const first = await play();
  const second = await play();
  expect(second.blocks.map(({ hash }) => hash)).toEqual(first.blocks.map(({ hash }) => hash));
  expect(second.logs).toEqual(first.logs);
  expect(first.logs.length).toBeGreaterThan(200);
  expect(BigInt(first.blocks.at(-1)?.timestamp ?? 0)).toBe(start + STORY_SECONDS);
});
