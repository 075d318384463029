import {
  type Abi,
  type Address,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addressOf,
  contractOf,
  dnsEncode,
  ethNode,
  hashLabel,
  ROOT_NODE,
  registerReferred,
  registerWrapped,
  rpc,
  send,
} from "../../devnet/acts.ts";
import { startLocalChain } from "../../devnet/localChain.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { type Log, logOf } from "./emittedLogs.ts";
import { expectItsEvents } from "./everyEvent.ts";
import { lower, type Stage, stageOf } from "./stage.ts";

/*
 * Logs that no honest contract would emit. The emitter's code replaces tracked contracts, so that the logs come from their own
 * addresses. Whatever can be decoded is kept, what is certain is applied, and nothing stops the indexer.
 */
const MAX = 2n ** 256n - 1n;
const ZERO = `0x${"0".repeat(40)}` as const;

let stage: Stage;
/** Records the indexer's requests to the node. */
let node: RpcProxy;
beforeAll(async () => {
  const local = await startLocalChain({ contracts: { layer2ReverseRegistrar: true } });
  node = await startRpcProxy(local.anvil.url);
  stage = await stageOf(local, {
    env: { ARCHIVE_READS: "on", [`RPC_URL_${local.deployment.chainId}`]: node.url },
  });
  const { chain, cast } = stage;
  await registerWrapped(chain, { from: cast.alice, label: "victim" });
  await registerReferred(chain, { from: cast.alice, label: "plain", resolver: "resolver5" });
  const code = await rpc<Hex>(chain, "eth_getCode", [addressOf(chain, "logEmitter"), "latest"]);
  for (const contract of ["controller3", "controller4", "controller5", "wrapper", "auctionRegistrar"]) {
    await rpc(chain, "anvil_setCode", [addressOf(chain, contract), code]);
  }
  for (const contract of [
    "registry",
    "oldRegistry",
    "registrar",
    "oldRegistrar",
    "defaultReverseRegistrar",
  ]) {
    await rpc(chain, "anvil_setCode", [addressOf(chain, contract), code]);
  }
});
afterAll(async () => {
  await stage?.close();
  await node?.kill();
});

/** A log of any shape from the address of a contract. */
async function emit(contract: string, ...logs: Log[]): Promise<TransactionReceipt> {
  const { chain, cast } = stage;
  const as = { ...chain.contracts, emitter: { address: addressOf(chain, contract), abi: emitterAbi() } };
  const call = { contract: "emitter", functionName: "emitLogs", args: [logs] };
  return send({ ...chain, contracts: as }, { from: cast.dave, ...call });
}

const emitterAbi = (): Abi => contractOf(stage.chain, "logEmitter").abi;

/** Code that answers `text` with `k`, and any other call with the old log that sets a text `k`, without its value. */
function codeOfTextEmitter(node: Hex): Hex {
  const topics = [hashLabel("k"), node, hashLabel("TextChanged(bytes32,string,string)")];
  // MSTORE the string's offset and length, MSTORE8 its one letter.
  const string = "6020600052" + "6001602052" + "606b604053";
  const log3 = `${string}${topics.map((topic) => `7f${topic.slice(2)}`).join("")}60606000a300`;
  const selector = "59d1d43c";
  const target = (14 + log3.length / 2).toString(16).padStart(2, "0");
  return `0x5f3560e01c63${selector}1460${target}57${log3}5b${string}60606000f3`;
}

/** Calldata of a multicall with 300 equal calls, each such a multicall again. */
function bombOf(depth: number): Hex {
  const word = (value: number) => value.toString(16).padStart(64, "0");
  const count = 300;
  const inner = depth === 0 ? "" : bombOf(depth - 1).slice(2);
  const pointers = word(count * 32).repeat(count);
  const padding = "00".repeat((32 - ((inner.length / 2) % 32)) % 32);
  return `0xac9650d8${word(32)}${word(count)}${pointers}${word(inner.length / 2)}${inner}${padding}`;
}

type Row = {
  event_type: string;
  node: Hex | null;
  anomaly: string | null;
  name: string | null;
  details: string | null;
};

const listRows = (receipt: TransactionReceipt) =>
  stage.sql<Row>(
    "select event_type, node, anomaly, name, details from events where transaction_hash = $1 order by log_index, ordinal",
    [receipt.transactionHash],
  );

const nameOfNode = async (node: Hex): Promise<string | undefined> => {
  const rows = await stage.sql<{ full_name: string }>("select full_name from domains where node = $1", [
    node,
  ]);
  return rows[0]?.full_name;
};

const registeredV3 =
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 cost, uint256 expires)";
const wrapped =
  "event NameWrapped(bytes32 indexed node, bytes name, address owner, uint32 fuses, uint64 expiry)";
const MISMATCH = "the label does not hash to the labelhash";
const NOT_OF_FEED = "the price is not that of the price feed";

describe("a controller's log with a label that does not match its labelhash", () => {
  test("is kept with its content, and names nothing", async () => {
    const log = logOf(registeredV3, {
      name: "other-label",
      label: hashLabel("hidden"),
      owner: stage.cast.bob,
      cost: 1n,
      expires: 2n,
    });
    const receipt = await emit("controller3", log);
    expect(await listRows(receipt)).toEqual([
      {
        event_type: "NameRegistered",
        node: ethNode("hidden"),
        anomaly: MISMATCH,
        name: null,
        details: JSON.stringify({ label: "other-label" }),
      },
    ]);
    const learnt = await stage.sql("select 1 from labels where label = 'other-label'");
    expect(learnt).toEqual([]);
  });

  test("is kept with the largest numbers", async () => {
    const registered = logOf(
      "event NameRegistered(string label, bytes32 indexed labelhash, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires, bytes32 referrer)",
      {
        label: "huge",
        labelhash: hashLabel("huge"),
        owner: ZERO,
        baseCost: MAX,
        premium: MAX,
        expires: MAX,
        referrer: numberToHex(MAX),
      },
    );
    const renewed = logOf(
      "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
      {
        name: "victim",
        label: hashLabel("victim"),
        cost: MAX,
        expires: 0n,
      },
    );
    const first = await emit("controller5", registered);
    expect(await listRows(first)).toMatchObject([{ name: "huge.eth", anomaly: NOT_OF_FEED }]);
    const [event] = await stage.events("huge.eth");
    expect(event).toMatchObject({ cost_wei: (2n * MAX).toString(), expiry_timestamp: MAX.toString() });
    expect(await listRows(await emit("controller4", renewed))).toMatchObject([{ name: "victim.eth" }]);
  });
});

describe("a log that cannot be decoded", () => {
  test("does not stop the indexer, and the logs next to it are kept", async () => {
    const good = logOf(
      "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
      {
        name: "plain",
        label: hashLabel("plain"),
        cost: 5n,
        expires: 6n,
      },
    );
    const topics = good.topics;
    const receipt = await emit(
      "controller3",
      { topics, data: "0x" },
      { topics, data: "0xdeadbeef" },
      { topics, data: `0x${"f".repeat(64)}` },
      { topics: [...topics, ROOT_NODE], data: good.data },
      { topics: topics.slice(0, 1), data: good.data },
      good,
    );
    expect((await listRows(receipt)).at(-1)).toMatchObject({ event_type: "NameRenewed", name: "plain.eth" });
  });

  test("has the same effect from resolvers, in every layout of a text log", async () => {
    const old = hashLabel("TextChanged(bytes32,string,string)");
    const node = ethNode("plain");
    const key = encodeAbiParameters([{ type: "string" }], ["email"]);
    const keys = encodeAbiParameters([{ type: "string" }, { type: "string" }], ["email", "email"]);
    const receipt = await emit(
      "logEmitter",
      { topics: [old], data: keys },
      { topics: [old, node], data: "0x" },
      { topics: [old, node], data: keys },
      { topics: [old, node, hashLabel("email")], data: key },
      { topics: [old, node, hashLabel("email")], data: keys },
      { topics: [], data: "0x" },
      { topics: [hashLabel("NeverHeardOf()")], data: "0x" },
    );
    const rows = await stage.sql<{ log_index: number; value_source: string }>(
      "select log_index, key, value_source from events where transaction_hash = $1 and key = 'email' order by 1",
      [receipt.transactionHash],
    );
    expect(rows.map(({ log_index, value_source }) => [log_index, value_source])).toEqual([
      [2, "unknown"],
      [3, "unknown"],
      [4, "unknown"],
    ]);
  });
});

describe("a log of the wrapper", () => {
  const emitWrapped = async (node: Hex, name: Hex) =>
    listRows(
      await emit("wrapper", logOf(wrapped, { node, name, owner: stage.cast.bob, fuses: 0, expiry: 0n })),
    );

  test.each<[string, Hex]>([
    ["that runs beyond its end", "0x0aff"],
    ["that goes on after its end", "0x0361626300036465660000"],
    ["without an end", "0x03616263"],
    ["of another node", dnsEncode(["plain", "eth"])],
    ["of only an end, which is the root", "0x00"],
  ])("with a DNS name %s is kept, and the owner is applied", async (_, name) => {
    const node = ethNode("victim");
    expect(await emitWrapped(node, name)).toMatchObject([
      { event_type: "NameWrapped", node, anomaly: "the DNS name is not that of the node", name: null },
    ]);
    const [row] = await stage.sql<{ wrapper_owner: Address; full_name: string }>(
      "select wrapper_owner, full_name from domains where node = $1",
      [node],
    );
    expect(row).toEqual({ wrapper_owner: lower(stage.cast.bob), full_name: "victim.eth" });
  });

  test("of the root is accepted with a name of no bytes or of one", async () => {
    for (const name of ["0x", "0x00"] as const) {
      expect(await emitWrapped(ROOT_NODE, name)).toMatchObject([
        { node: ROOT_NODE, anomaly: null, name: "" },
      ]);
    }
  });

  test("is kept for names that do not exist in the registry", async () => {
    const node = hashLabel("no such node");
    const receipt = await emit(
      "wrapper",
      logOf("event FusesSet(bytes32 indexed node, uint32 fuses)", { node, fuses: 2 ** 32 - 1 }),
      logOf("event ExpiryExtended(bytes32 indexed node, uint64 expiry)", { node, expiry: 2n ** 64n - 1n }),
      logOf("event NameUnwrapped(bytes32 indexed node, address owner)", { node, owner: ZERO }),
      logOf(
        "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
        { operator: ZERO, from: ZERO, to: ZERO, ids: [0n, MAX, 0n], values: [] },
      ),
    );
    expect(await listRows(receipt)).toHaveLength(6);
    expect(await nameOfNode(node)).toBe(`[namehash:${node.slice(2)}]`);
  });
});

describe("a log of the registries", () => {
  test("is kept about the root, itself, and missing nodes", async () => {
    const newOwner = "event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)";
    const transfer = "event Transfer(bytes32 indexed node, address owner)";
    const newResolver = "event NewResolver(bytes32 indexed node, address resolver)";
    const node = hashLabel("nowhere");
    for (const registry of ["registry", "oldRegistry"]) {
      const receipt = await emit(
        registry,
        logOf(newOwner, { node: ROOT_NODE, label: ROOT_NODE, owner: addressOf(stage.chain, registry) }),
        logOf(newOwner, { node, label: hashLabel("child"), owner: stage.cast.bob }),
        logOf(newResolver, { node, resolver: ZERO }),
        logOf(transfer, { node: ROOT_NODE, owner: ZERO }),
      );
      expect(await listRows(receipt)).toHaveLength(4);
    }
    const [row] = await stage.sql<{ full_name: string }>(
      "select full_name from domains where parent_node = $1",
      [node],
    );
    expect(row?.full_name).toMatch(/^\[namehash:[0-9a-f]{64}\]$/);
  });
});

describe("a log of the registrars", () => {
  test("is kept with the largest and the smallest numbers", async () => {
    const receipt = await emit(
      "registrar",
      logOf("event NameRegistered(uint256 indexed id, address indexed owner, uint256 expires)", {
        id: MAX,
        owner: stage.cast.bob,
        expires: MAX,
      }),
      logOf("event NameRenewed(uint256 indexed id, uint256 expires)", { id: 0n, expires: 0n }),
      logOf("event NameRenewed(uint256 indexed id, uint256 expires)", { id: MAX, expires: 0n }),
      logOf("event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)", {
        from: ZERO,
        to: ZERO,
        tokenId: 0n,
      }),
    );
    expect(await listRows(receipt)).toHaveLength(4);
  });

  test("of the auctions has the hash of a name instead of the name", async () => {
    const receipt = await emit("auctionRegistrar", {
      topics: [
        hashLabel("HashInvalidated(bytes32,string,uint256,uint256)"),
        hashLabel("short"),
        hashLabel("short"),
      ],
      data: encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [1n, 2n]),
    });
    expect(await listRows(receipt)).toMatchObject([
      { event_type: "HashInvalidated", node: ethNode("short"), name: null },
    ]);
  });
});

describe("a resolver log from a stranger", () => {
  test("is kept with absurd versions, coin types and texts", async () => {
    const node = hashLabel("somewhere");
    const receipt = await emit(
      "logEmitter",
      logOf("event VersionChanged(bytes32 indexed node, uint64 newVersion)", {
        node,
        newVersion: 2n ** 64n - 1n,
      }),
      logOf("event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress)", {
        node,
        coinType: MAX,
        newAddress: `0x${"00".repeat(20_000)}`,
      }),
      logOf("event NameChanged(bytes32 indexed node, string name)", { node, name: "\0".repeat(3_000) }),
      logOf("event ContenthashChanged(bytes32 indexed node, bytes hash)", {
        node,
        hash: `0x${"ff".repeat(9_000)}`,
      }),
      logOf("event ABIChanged(bytes32 indexed node, uint256 indexed contentType)", {
        node,
        contentType: MAX,
      }),
      logOf("event DNSZonehashChanged(bytes32 indexed node, bytes lastzonehash, bytes zonehash)", {
        node,
        lastzonehash: "0x",
        zonehash: "0x00",
      }),
      logOf("event VersionChanged(bytes32 indexed node, uint64 newVersion)", { node, newVersion: 0n }),
    );
    expect((await listRows(receipt)).map(({ event_type }) => event_type)).toEqual([
      "VersionChanged",
      "AddressChanged",
      "NameChanged",
      "ContenthashChanged",
      "ABIChanged",
      "DNSZonehashChanged",
      "VersionChanged",
    ]);
    const [row] = await stage.sql<{ version: string }>("select version from resolver_nodes where node = $1", [
      node,
    ]);
    expect(row).toEqual({ version: "2" });
  });

  test("is neither decoded nor asked for a text: decoding could take forever, and the answer might never come", async () => {
    const { chain, cast } = stage;
    const [address, node] = ["0x000000000000000000000000000000000000b0b0", hashLabel("bomb")] as const;
    await rpc(chain, "anvil_setCode", [address, codeOfTextEmitter(node)]);
    const data = bombOf(3);
    const transaction = { from: cast.dave, to: address, data, gas: numberToHex(12_000_000) };
    await rpc(chain, "eth_sendTransactionSync", [transaction]);
    const abi = parseAbi(["function text(bytes32 node, string key) view returns (string)"]);
    const question = { address, abi, functionName: "text", args: [node, "k"] } as const;
    expect(await chain.client.readContract(question)).toBe("k");
    const rows = await stage.sql("select key, value, value_source from events where node = $1", [node]);
    expect(rows).toEqual([{ key: "k", value: null, value_source: "unknown" }]);
  });
});

test("a stranger's contract is not called, although listed ones with the same logs were read", async () => {
  const { chain } = stage;
  const [stranger, listed] = [addressOf(chain, "logEmitter"), addressOf(chain, "resolver2")];
  const code = await rpc<Hex>(chain, "eth_getCode", [listed, "latest"]);
  await rpc(chain, "anvil_setCode", [listed, await rpc<Hex>(chain, "eth_getCode", [stranger, "latest"])]);
  const log = {
    topics: [hashLabel("TextChanged(bytes32,string,string)"), ethNode("plain")],
    data: encodeAbiParameters([{ type: "string" }, { type: "string" }], ["email", "email"]),
  };
  const callsOf = (contract: Address) =>
    node.recorded.filter(({ method, to }) => method === "eth_call" && to === lower(contract)).length;
  // Ponder looks at every tenth event of a kind, and makes calls ahead that four of five such events would make.
  for (let i = 0; i < 10; i++) await emit("resolver2", ...Array<Log>(10).fill(log));
  await emit("logEmitter", log, log, log);
  const rows = await stage.sql("select 1 from events where node = $1 and value_source = 'unknown'", [
    ethNode("plain"),
  ]);
  expect(rows.length).toBeGreaterThanOrEqual(103);
  await rpc(chain, "anvil_setCode", [listed, code]);
  expect(callsOf(listed)).toBeGreaterThan(0);
  expect(callsOf(stranger)).toBe(0);
});

describe("a log of the default reverse registrar", () => {
  test("is kept with a name of NULs, and one of 20 KB", async () => {
    const signature = "event NameForAddrChanged(address indexed addr, string name)";
    const receipt = await emit(
      "defaultReverseRegistrar",
      logOf(signature, { addr: stage.cast.bob, name: "\0" }),
      logOf(signature, { addr: stage.cast.bob, name: "n".repeat(20_480) }),
      logOf(signature, { addr: ZERO, name: "zero.eth" }),
    );
    expect(await listRows(receipt)).toHaveLength(3);
    const [claim] = await stage.sql<{ name: string | null }>(
      "select name from primary_names where address = $1 and coin_type = 2147483648",
      [lower(stage.cast.bob)],
    );
    expect(claim).toEqual({ name: null });
  });
});

test("a log that no contract of the devnet makes is kept", async () => {
  const node = ethNode("plain");
  const id = BigInt(hashLabel("plain"));
  const record = { node, name: dnsEncode(["plain", "eth"]), resource: 1, record: "0x00" };
  const kept = [
    await emit("wrapper", logOf("event URI(string value, uint256 indexed id)", { value: "uri", id })),
    await emit(
      "registrar",
      logOf("event NameMigrated(uint256 indexed id, address indexed owner, uint256 expires)", {
        id,
        owner: stage.cast.alice,
        expires: 1n,
      }),
    ),
    await emit(
      "oldRegistrar",
      logOf("event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)", {
        owner: stage.cast.alice,
        approved: stage.cast.bob,
        tokenId: id,
      }),
    ),
    await emit(
      "logEmitter",
      logOf(
        "event DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, bytes record)",
        record,
      ),
    ),
    await emit(
      "logEmitter",
      logOf(
        "event DNSRecordChanged(bytes32 indexed node, bytes name, uint16 resource, uint32 ttl, bytes record)",
        { node, name: record.name, resource: 1, ttl: 60, record: "0x00" },
      ),
    ),
  ];
  const rows = await Promise.all(kept.map(listRows));
  expect(rows.flat().map((row) => row.event_type)).toEqual([
    "URI",
    "NameMigrated",
    "Approval",
    "DNSRecordChanged",
    "DNSRecordChanged",
  ]);
  await expectItsEvents("odd-logs.test.ts", stage.local.deployment, [stage.local]);
});

test("undecodable logs are counted by reason", async () => {
  const counts = await stage.sql<{ anomaly: string; count: number }>(
    "select anomaly, count(*)::int from events where anomaly is not null group by anomaly order by anomaly",
  );
  expect(counts).toEqual([
    { anomaly: "the DNS name is not that of the node", count: 5 },
    { anomaly: MISMATCH, count: 1 },
    { anomaly: NOT_OF_FEED, count: 1 },
  ]);
  const metrics = await (await fetch(`${stage.stack.metricsUrl}/index-metrics`)).text();
  for (const { anomaly, count } of counts) {
    expect(metrics).toContain(`namedex_anomalies{reason="${anomaly}"} ${count}`);
  }
});

test("after all of that the index still follows the chain", async () => {
  const { chain, cast } = stage;
  const receipt = await emit("logEmitter", {
    topics: [hashLabel("NameChanged(bytes32,string)"), ethNode("plain")],
    data: encodeAbiParameters([{ type: "string" }], ["still here"]),
  });
  expect(await listRows(receipt)).toMatchObject([{ name: "still here" }]);
  expect((await stage.stack.api("/stats")).status).toBe(200);
  expect(chain.accounts).toContain(cast.alice);
});
