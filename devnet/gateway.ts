import { createServer, type Server } from "node:http";
import {
  type Address,
  concat,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  encodePacked,
  type Hex,
  hexToBytes,
  isHex,
  keccak256,
  type PublicActions,
  parseAbi,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** What the gateway holds of one name. */
export type OffchainRecords = {
  addr?: Address;
  /** By coin type, other than Ethereum's. */
  coins?: Record<string, Hex>;
  texts?: Record<string, string>;
  contenthash?: Hex;
};

/** A running gateway. `url` is the template that its resolver names. */
export type DevnetGateway = { url: string; port: number; stop: () => Promise<void> };

/** A layer 2 that keeps the subnames of `name` in its own registry. */
export type Layer2Source = { name: string; client: PublicActions; registry: Address };

/** Signs the gateway's answers; the resolver knows this address. Not a secret, and it holds nothing. */
const signer = privateKeyToAccount(keccak256(stringToHex("the gateway of the devnet")));

/** Whose signature the resolver of the devnet takes. */
export const GATEWAY_SIGNER: Address = signer.address;

/** The gateway's address, if the port is free: the resolver contains it, so it is part of the chain's first blocks. */
export const GATEWAY_PORT = 8549;

/** The template of a gateway on this computer at a port. */
export const gatewayUrl = (port: number): string => `http://127.0.0.1:${port}/{sender}/{data}.json`;

/** Local chains put their time forward by years, and an answer must be valid all the same: the year 2100. */
const VALID_UNTIL = 4_102_444_800n;

const serviceAbi = parseAbi([
  "function resolve(bytes name, bytes data) view returns (bytes result, uint64 expires, bytes sig)",
]);
const registryReadsAbi = parseAbi(["function resolver(bytes32 node) view returns (address)"]);
const readsAbi = parseAbi([
  "function addr(bytes32 node) view returns (address)",
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
  "function text(bytes32 node, string key) view returns (string)",
  "function contenthash(bytes32 node) view returns (bytes)",
]);

/** What `offchain.eth` and every name below it hold; of other names the gateway knows nothing. */
function demoRecords(name: string): OffchainRecords {
  if (name === "offchain.eth") {
    return {
      addr: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      texts: { description: "lives at a gateway, not on chain", url: "https://offchain.example" },
      contenthash: "0xe301017012201111111111111111111111111111111111111111111111111111111111111111",
    };
  }
  if (!name.endsWith(".offchain.eth")) return {};
  return {
    addr: `0x${keccak256(stringToHex(name)).slice(-40)}`,
    texts: { description: `${name} exists because it was asked for` },
  };
}

/**
 * Starts a gateway for the off-chain resolver of npm's `@ensdomains/offchain-resolver-contracts`, and for the resolvers of
 * layer 2s on the main chain: it answers what `records` or the layer 2 says of a name, signed (ERC-3668).
 */
export async function startGateway({
  port = 0,
  records = demoRecords,
  layer2 = [],
}: {
  port?: number;
  records?: (name: string) => OffchainRecords;
  /** Layer 2s whose own records are the answers for names below theirs. More may be added while the gateway runs. */
  layer2?: readonly Layer2Source[];
} = {}): Promise<DevnetGateway> {
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request.url ?? "", { records, layer2 }).catch(() => null);
    response.writeHead(answer === null ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer === null ? { message: "not a look-up" } : { data: answer }));
  });
  const bound = await listen(server, port);
  return {
    port: bound,
    url: gatewayUrl(bound),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

type Sources = { records: (name: string) => OffchainRecords; layer2: readonly Layer2Source[] };

async function answerTo(path: string, { records, layer2 }: Sources): Promise<Hex | null> {
  const [, sender = "", data = ""] = path.replace(/\.json$/, "").split("/");
  if (!isHex(sender) || !isHex(data)) return null;
  const [name, call] = decodeFunctionData({ abi: serviceAbi, data }).args;
  const decoded = decodeName(name);
  const source = layer2.find((one) => decoded.endsWith(`.${one.name}`));
  const result = source ? await readLayer2(source, { name, call }) : resultOf(call, records(decoded));
  return signed({ sender: sender as Address, request: data, result });
}

/** What the resolver of that very name answers on the layer 2; nothing for a name without one. */
async function readLayer2(
  { client, registry }: Layer2Source,
  { name, call }: { name: Hex; call: Hex },
): Promise<Hex> {
  const args = [nodeOf(hexToBytes(name))] as const;
  const resolver = await client.readContract({
    address: registry,
    abi: registryReadsAbi,
    functionName: "resolver",
    args,
  });
  if (resolver === zeroAddress) return resultOf(call, {});
  const { data } = await client.call({ to: resolver, data: call });
  return data ?? "0x";
}

/** Node of a name in DNS wire format. */
function nodeOf(packet: Uint8Array): Hex {
  const length = packet[0] ?? 0;
  if (length === 0) return zeroHash;
  const labelhash = keccak256(packet.subarray(1, 1 + length));
  return keccak256(concat([nodeOf(packet.subarray(1 + length)), labelhash]));
}

function resultOf(call: Hex, { addr, coins, texts, contenthash }: OffchainRecords): Hex {
  const { functionName, args } = decodeFunctionData({ abi: readsAbi, data: call });
  if (functionName === "text") {
    const result = texts?.[args[1]] ?? "";
    return encodeFunctionResult({ abi: readsAbi, functionName, result });
  }
  if (functionName === "contenthash") {
    return encodeFunctionResult({ abi: readsAbi, functionName, result: contenthash ?? "0x" });
  }
  const coinType = args[1];
  if (coinType === undefined) return encodeAbiParameters([{ type: "address" }], [addr ?? zeroAddress]);
  const bytes = coinType === 60n ? addr : coins?.[coinType.toString()];
  return encodeAbiParameters([{ type: "bytes" }], [bytes ?? "0x"]);
}

/** The labels of a name in DNS wire format, joined by dots. */
function decodeName(packet: Hex): string {
  const bytes = hexToBytes(packet);
  const labels: string[] = [];
  for (let at = 0; (bytes[at] ?? 0) > 0; at += 1 + (bytes[at] ?? 0)) {
    labels.push(new TextDecoder().decode(bytes.subarray(at + 1, at + 1 + (bytes[at] ?? 0))));
  }
  return labels.join(".");
}

/** What `SignatureVerifier.makeSignatureHash` of the resolver's package expects. */
async function signed(answer: { sender: Address; request: Hex; result: Hex }): Promise<Hex> {
  const { sender, request, result } = answer;
  const hash = keccak256(
    concat([
      "0x1900",
      encodePacked(
        ["address", "uint64", "bytes32", "bytes32"],
        [sender, VALID_UNTIL, keccak256(request), keccak256(result)],
      ),
    ]),
  );
  const signature = await signer.sign({ hash });
  return encodeAbiParameters(
    [{ type: "bytes" }, { type: "uint64" }, { type: "bytes" }],
    [result, VALID_UNTIL, signature],
  );
}
