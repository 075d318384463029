import { type Hex, hexToNumber, namehash, numberToHex } from "viem";
import type { Layer2Deployment } from "../../abis/deployments.ts";
import { type Chain, ethNode, registerReferred, rpc, writeRecords } from "../../devnet/acts.ts";
import { connect, type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { by, type EmitterChain, layer2Of, startEmitterChain } from "./emittedLogs.ts";

/** A block as a node gives it. */
export type NodeBlock = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex };

/** A block as the journal and answers have it. */
export type Block = { number: number; hash: string; parentHash: string; timestamp: number };

/**
 * A chain on which each block has at most one log of one name. It remembers, for each block it ever had, the number of logs up to
 * it on its branch: tables that represent the block must have as many.
 */
export type CountedChain = {
  chainId: number;
  /** Logs up to each block of any branch, by the block's hash. */
  logsAt: ReadonlyMap<string, number>;
  /** Adds a block with a log of the name. */
  log: () => Promise<void>;
  /** Adds blocks without logs. */
  mine: (blocks: number) => Promise<void>;
  /** Removes the last blocks. Those that follow are of another branch: none equals a removed one. */
  rollback: (blocks: number) => Promise<void>;
  blocks: (from: number, to: number) => Promise<Block[]>;
  height: () => Promise<number>;
};

type Plan = {
  chainId: number;
  chain: Pick<Chain, "client">;
  log: (value: string) => Promise<unknown>;
  mine: (blocks: number) => Promise<unknown>;
  rollback: (blocks: number) => Promise<unknown>;
};

function counted({ chainId, chain, log, mine, rollback }: Plan): CountedChain {
  const logsAt = new Map<string, number>();
  let logs = 0;
  let branches = 0;
  const ask = (number: number | "latest") =>
    rpc<NodeBlock>(chain as Chain, "eth_getBlockByNumber", [
      number === "latest" ? number : numberToHex(number),
      false,
    ]);
  const height = async () => hexToNumber((await ask("latest")).number);
  const note = async (first: number) => {
    for (let number = first; number <= (await height()); number++) logsAt.set((await ask(number)).hash, logs);
  };
  return {
    chainId,
    logsAt,
    height,
    log: async () => {
      const next = (await height()) + 1;
      logs++;
      await log(String(logs));
      await note(next);
    },
    mine: async (blocks) => {
      const next = (await height()) + 1;
      await mine(blocks);
      await note(next);
    },
    rollback: async (blocks) => {
      await rollback(blocks);
      // Otherwise blocks without logs would equal the removed ones, with the same hash: they would not be gone.
      await rpc(chain as Chain, "anvil_setCoinbase", [numberToHex(++branches, { size: 20 })]);
      logs = logsAt.get((await ask("latest")).hash) ?? 0;
    },
    blocks: (from, to) =>
      Promise.all(Array.from({ length: to - from + 1 }, async (_, i) => toBlock(await ask(from + i)))),
  };
}

const toBlock = ({ number, hash, parentHash, timestamp }: NodeBlock): Block => ({
  number: hexToNumber(number),
  hash,
  parentHash,
  timestamp: hexToNumber(timestamp),
});

const textChanged =
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)";
const KEY = "count";

/** The names whose logs are counted. */
export const MAIN_NAME = "count.eth";
const LAYER2_NAME = "count.base.eth";

export type JournalChains = {
  local: LocalChain;
  layer2: Layer2Deployment;
  onLayer2: EmitterChain;
  main: CountedChain;
  base: CountedChain;
  stop: () => Promise<void>;
};

/** A main chain and a layer 2, both with a past, whose logs are counted. */
export async function startJournalChains({
  chainId,
  past,
}: {
  chainId: number;
  past: number;
}): Promise<JournalChains> {
  const local = await startLocalChain({ chainId });
  const layer2 = layer2Of("base");
  const onLayer2 = await startEmitterChain(layer2, local);
  const { chain } = local;
  const [from] = chain.accounts;
  if (from === undefined) throw new Error("anvil has no accounts");
  await registerReferred(chain, { from, label: "count", duration: 10n ** 9n, resolver: "resolver5" });
  const resolver = by(layer2, "resolver");
  const main = counted({
    chainId: local.deployment.chainId,
    chain,
    log: (value) =>
      writeRecords(chain, {
        from,
        resolver: "resolver5",
        node: ethNode("count"),
        writes: [{ kind: "text", key: KEY, value }],
      }),
    mine: (blocks) => rpc(chain, "anvil_mine", [numberToHex(blocks)]),
    rollback: (blocks) => rpc(chain, "anvil_rollback", [blocks]),
  });
  const base = counted({
    chainId: layer2.chainId,
    chain: { client: connect(onLayer2.anvil.url) },
    log: (value) =>
      onLayer2.emit(resolver(textChanged, { node: namehash(LAYER2_NAME), indexedKey: KEY, key: KEY, value })),
    mine: onLayer2.mine,
    rollback: onLayer2.rollback,
  });
  for (const one of [main, base]) {
    await one.mine(past);
    await one.log();
    await one.mine(2);
  }
  return {
    local,
    layer2,
    onLayer2,
    main,
    base,
    stop: async () => void (await Promise.all([local.anvil.stop(), onLayer2.anvil.stop()])),
  };
}
