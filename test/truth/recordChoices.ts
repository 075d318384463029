import { type Hex, keccak256, stringToBytes } from "viem";
import type { RecordWrite } from "../../devnet/acts.ts";
import type { Scene } from "./scene.ts";

const keys = [
  "url",
  "url",
  "description",
  "avatar",
  "com.twitter",
  "a key",
  "",
  "nul\u0000key",
  "\ufeffurl",
  "k".repeat(3000),
];
const values = [
  "",
  "",
  "a value",
  "another",
  "☃ snow",
  "nul\u0000value",
  "\ufeffa value",
  "v".repeat(5000),
  "https://example.org",
];
/** Bitcoin, Ethereum, Solana; default, this chain's and Optimism's by ENSIP-11; larger than JavaScript's integers. */
const coinTypes = [0n, 60n, 501n, 0x80000000n, 0x80007a69n, 0x8000000an, 2n ** 200n];
const kinds = ["text", "text", "text", "addr", "coin", "coin", "contenthash", "name", "other"];

const digest = (text: string): Hex => keccak256(stringToBytes(text));

/** A write of any record that this resolver supports. */
export function record(scene: Scene, resolver: string): RecordWrite {
  const { pick, people } = scene;
  const isOldest = resolver === "resolver2";
  switch (pick(kinds)) {
    case "text":
      return { kind: "text", key: pick(keys), value: pick(values) };
    case "addr":
      return { kind: "addr", address: pick([...people, `0x${"00".repeat(20)}` as const]) };
    case "coin":
      if (isOldest) return { kind: "content", hash: digest("content") };
      return coin(scene);
    case "contenthash":
      if (isOldest) return { kind: "multihash", hash: pick(["0x", digest("multihash")]) };
      return {
        kind: "contenthash",
        hash: pick(["0x", digest("one page"), `0xe301${digest("other").slice(2)}` as Hex]),
      };
    case "name":
      return {
        kind: "name",
        name: pick(["", "alice.eth", "some.name.eth", "nul\u0000name", "\ufeffalice.eth", "Ünnormal.eth"]),
      };
    default:
      return other(scene, isOldest);
  }
}

function coin({ pick, people }: Scene): RecordWrite {
  const coinType = pick(coinTypes);
  const isEvm = coinType === 60n || (coinType >= 0x80000000n && coinType < 2n ** 32n);
  const person = pick(people).toLowerCase() as Hex;
  return { kind: "coin", coinType, bytes: pick(["0x", person, isEvm ? person : "0x76a91488ac"]) };
}

/** Records that the index keeps only as logs. */
function other({ pick, people }: Scene, isOldest: boolean): RecordWrite {
  const common: RecordWrite[] = [
    { kind: "pubkey", x: digest("x"), y: digest("y") },
    { kind: "abi", contentType: 1n, data: "0x1234" },
  ];
  const later: RecordWrite[] = [
    { kind: "interface", id: "0x12345678", implementer: pick(people) },
    // One A record: name "a.", type, class, time to live, length, data; and the same without data, which deletes it.
    { kind: "dns", data: "0x016100000100010000000a00047f000001" },
    { kind: "dns", data: "0x016100000100010000000a0000" },
  ];
  return pick(isOldest ? common : [...common, ...later]);
}

/** Several such writes. */
export const records = (scene: Scene, resolver: string, count: number): RecordWrite[] =>
  Array.from({ length: count }, () => record(scene, resolver));
