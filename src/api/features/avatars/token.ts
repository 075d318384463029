import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import { textOfBytes } from "../../../ens/utf8.ts";
import { AbiError, byteLength, readAbi } from "../../names/live/liveAbi.ts";
import type { ContractReach } from "../../names/live/multicall.ts";
import type { Token } from "./avatarUri.ts";
import { MAX_TOKEN_TEXT, MAX_URI } from "./bounds.ts";

const abi = parseAbi([
  "function ownerOf(uint256 id) view returns (address)",
  "function tokenURI(uint256 id) view returns (string)",
  "function balanceOf(address owner, uint256 id) view returns (uint256)",
  "function uri(uint256 id) view returns (string)",
]);

export type TokenReach = Pick<ContractReach, "rpc" | "signal">;

/**
 * Where a token says that it is described: null if the address does not hold it, or the contract does not say. All is read at
 * the newest block. Source: ENSIP-12, ERC-721, ERC-1155.
 *
 * @throws LiveFailure when no node answers
 */
export async function readTokenUri(
  { rpc, signal }: TokenReach,
  token: Token,
  holder: Address,
): Promise<string | null> {
  const blockNumber = await rpc.newestBlock(signal);
  const ask = async (data: Hex): Promise<Hex | null> => {
    const result = await rpc.call({ to: token.contract, data, blockNumber }, signal);
    return result.ok ? result.data : null;
  };
  return (await isHeld(ask, token, holder)) ? textOf(await ask(uriCall(token)), token) : null;
}

type Ask = (data: Hex) => Promise<Hex | null>;

async function isHeld(ask: Ask, { standard, id }: Token, holder: Address): Promise<boolean> {
  if (standard === "erc721") {
    const owner = wordOf(await ask(encodeFunctionData({ abi, functionName: "ownerOf", args: [id] })));
    return owner !== null && owner === BigInt(holder);
  }
  const args = [holder, id] as const;
  const balance = wordOf(await ask(encodeFunctionData({ abi, functionName: "balanceOf", args })));
  return balance !== null && balance > 0n;
}

const uriCall = ({ standard, id }: Token): Hex =>
  encodeFunctionData({ abi, functionName: standard === "erc721" ? "tokenURI" : "uri", args: [id] });

const wordOf = (data: Hex | null): bigint | null => decoded(() => BigInt(readAbi(["word"], data ?? "0x")[0]));

const textOf = (data: Hex | null, token: Token): string | null =>
  decoded(() => {
    const [bytes] = readAbi(["bytes"], data ?? "0x");
    return byteLength(bytes) > MAX_TOKEN_TEXT ? null : withId(textOfBytes(bytes), token);
  });

/** ERC-1155: `{id}` is replaced by the id in 64 digits. A long text is not a URL, and would become longer still. */
const withId = (text: string, { standard, id }: Token): string =>
  standard === "erc721" || text.length > MAX_URI
    ? text
    : text.replaceAll("{id}", id.toString(16).padStart(64, "0"));

function decoded<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AbiError) return null;
    throw error;
  }
}
