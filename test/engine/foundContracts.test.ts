import { type Address, namehash, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashLabel } from "../../devnet/acts.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import {
  by,
  contractOf,
  type EmitterChain,
  layer2Of,
  logOf,
  startEmitterChain,
} from "../chain/emittedLogs.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { type Stack, startStack } from "../support/stack.ts";

const base = layer2Of("base");
const registry = by(base, "registry");
/** From a thousand on, Ponder no longer requests logs by address. */
const COUNT = 1_005;
const [NODE, OWNER] = [namehash("many.base.eth"), numberToHex(1, { size: 20 })];

const blocksOfStranger: string[] = [];
let blockOfTexts: string;

let main: LocalChain;
let onBase: EmitterChain;
/** Records the indexer's requests to the node. */
let node: RpcProxy;
let stack: Stack;

const resolverAt = (index: number): Address => numberToHex(0x10_000 + index, { size: 20 });

const textOf = (resolver: Address, value: string) => ({
  by: resolver,
  log: logOf("event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)", {
    node: NODE,
    indexedKey: "url",
    key: "url",
    value,
  }),
});

beforeAll(async () => {
  main = await startLocalChain();
  onBase = await startEmitterChain(base, main);
  await onBase.emit(
    registry("event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)", {
      node: namehash("base.eth"),
      label: hashLabel("many"),
      owner: OWNER,
    }),
    ...Array.from({ length: COUNT }, (_, index) =>
      registry("event NewResolver(bytes32 indexed node, address resolver)", {
        node: NODE,
        resolver: resolverAt(index),
      }),
    ),
  );
  const listed = contractOf(base, "resolver");
  await onBase.emit(
    registry("event NewResolver(bytes32 indexed node, address resolver)", { node: NODE, resolver: listed }),
    textOf(listed, "of a listed one"),
  );
  const texts = [textOf(resolverAt(0), "of the first"), textOf(resolverAt(COUNT - 1), "of the last")];
  blockOfTexts = numberToHex((await onBase.emit(...texts)).blockNumber);
  for (let i = 0; i < 5; i++) {
    const { blockNumber } = await onBase.emit(textOf(numberToHex(0xbad, { size: 20 }), "of a stranger"));
    blocksOfStranger.push(numberToHex(blockNumber));
  }
  await onBase.mine(40); // So all of this is part of the backfill.
  node = await startRpcProxy(onBase.anvil.url);
  stack = await startStack({
    rpcUrl: main.anvil.url,
    deployment: { ...main.deployment, layer2: [base] },
    env: { RPC_URL_8453: node.url },
  });
});

afterAll(async () => {
  await stack?.destroy();
  await node?.kill();
  await Promise.all([main, onBase].map((chain) => chain?.anvil.stop()));
});

test("the logs of a thousand contracts that a log named are found, and no block is fetched", async () => {
  const rows = await stack.sql<{ value: string }>(
    "select value from text_records where chain_id = 8453 order by value",
  );
  expect(rows.map(({ value }) => value)).toEqual(["of a listed one", "of the first", "of the last"]);
  const fetched = node.recorded.flatMap(({ number }) => number ?? []);
  // The logs have the time of their blocks; those of unrelated contracts are dropped before.
  const withLogs = [...blocksOfStranger, blockOfTexts];
  expect(fetched.filter((number) => withLogs.includes(number))).toEqual([]);
});

test("a log of a listed contract is stored once, even if another log revealed the contract too", async () => {
  const rows = await stack.sql("select from events where chain_id = 8453 and value = 'of a listed one'");
  expect(rows).toHaveLength(1);
});
