import { type Hex, parseAbi, zeroAddress } from "viem";
import { ask } from "./chainReads.ts";
import type { Judge } from "./judge.ts";
import type { Ledger } from "./ledger.ts";
import type { Row } from "./oracle.ts";

const reads = parseAbi([
  "function addr(bytes32 node) view returns (address)",
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
  "function hasAddr(bytes32 node, uint256 coinType) view returns (bool)",
]);
const [single, ofCoin, hasOwn] = reads.map((one) => [one]);

/** Bitcoin, Ethereum, Solana; default, this chain's, Optimism's and Base's; one beyond those of chains. */
const coinTypes = ["0", "60", "501", "2147483648", "2147515241", "2147483658", "2147492101", "4294967296"];

/** Addresses requested by coin type: the answer of the resolver if it is an indexed one. */
export async function judgeAddresses(
  { rpcUrl, get, same, isIndexed }: Judge,
  { node, path, ledger }: { node: Hex; path: string; ledger: Ledger },
): Promise<void> {
  const to = ledger.resolvers.at(-1)?.state ?? null;
  if (to === null || !isIndexed(to)) return;
  const question = (abi: typeof single, functionName: string) =>
    coinTypes.map((coinType) => ({ to, abi: abi ?? [], functionName, args: [node, BigInt(coinType)] }));
  const values = await ask<Hex>(rpcUrl, question(ofCoin, "addr"));
  const stored = await ask<boolean>(rpcUrl, question(hasOwn, "hasAddr"));
  // The oldest resolvers only know the address on Ethereum.
  const [ofEthereum] = await ask<Hex>(rpcUrl, [
    { to, abi: single ?? [], functionName: "addr", args: [node] },
  ]);
  const answered = coinTypes.map((coinType, i) => values[i] ?? (coinType === "60" ? ofEthereum : null));
  const isThere = (i: number) => ![null, undefined, "0x", zeroAddress].includes(answered[i]);
  const found = coinTypes.flatMap((coinType, i) =>
    isThere(i) ? [[coinType, answered[i]?.toLowerCase()]] : [],
  );
  const derived = coinTypes.filter((_, i) => isThere(i) && stored[i] === false);
  const { records } = await get(`/domain/${path}/records?types=addr&coin_types=${coinTypes.join(",")}`);
  const { addresses, is_default = {} } = records as { addresses: Row; is_default?: Row };
  const said = Object.entries(addresses).map(([coinType, one]) => [coinType, String(one).toLowerCase()]);
  same(`addresses of ${path}`, Object.fromEntries(said), Object.fromEntries(found));
  same(`default addresses of ${path}`, Object.keys(is_default), derived);
}
