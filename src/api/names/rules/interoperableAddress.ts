import { type Address, type Hex, hexToBytes, isHex, toHex } from "viem";

/** An address together with its chain. */
export type InteroperableAddress = {
  /** Chain type by CAIP-350: 0 is eip155. */
  chainType: number;
  /** The chain within its type: for eip155 the chain ID, big-endian without leading zeros. Empty if not given. */
  chainReference: Hex;
  /** Empty if not given. */
  address: Hex;
};

const VERSION = 1;
const EIP155 = 0;
const EVM_ADDRESS_BYTES = 20;

/**
 * Parses the hexadecimal form of a version 1 interoperable address, in any letter case. Null for anything else, including too
 * many or too few bytes, and any but the canonical form of an EVM chain.
 * Source: ERC-7930; CAIP-350, profile of eip155.
 */
export function decodeInteroperableAddress(text: string): InteroperableAddress | null {
  if (!isHex(text) || text.length % 2 !== 0) return null;
  const bytes = hexToBytes(text);
  const [version = -1, chainType = -1] = [readUint16(bytes, 0), readUint16(bytes, 2)];
  const reference = readPart(bytes, 4);
  const address = reference && readPart(bytes, reference.end);
  if (version !== VERSION || !address || address.end !== bytes.length) return null;
  if (reference.part.length === 0 && address.part.length === 0) return null;
  if (chainType === EIP155 && !isEvmPart(reference.part, address.part)) return null;
  return { chainType, chainReference: toHex(reference.part), address: toHex(address.part) };
}

const readUint16 = (bytes: Uint8Array, at: number): number | undefined => {
  const [high, low] = bytes.subarray(at, at + 2);
  return high === undefined || low === undefined ? undefined : high * 256 + low;
};

/** Reads a part that is preceded by its length in one byte; null if the bytes end too early. */
function readPart(bytes: Uint8Array, at: number): { part: Uint8Array; end: number } | null {
  const length = bytes[at];
  if (length === undefined) return null;
  const end = at + 1 + length;
  return end > bytes.length ? null : { part: bytes.subarray(at + 1, end), end };
}

const isEvmPart = (reference: Uint8Array, address: Uint8Array): boolean =>
  reference[0] !== 0 && [0, EVM_ADDRESS_BYTES].includes(address.length);

/** The EVM contract that an interoperable address identifies completely; null for every other address. */
export function evmContractOf(
  interoperable: InteroperableAddress,
): { chainId: bigint; address: Address } | null {
  const { chainType, chainReference, address } = interoperable;
  if (chainType !== EIP155 || chainReference === "0x" || address === "0x") return null;
  return { chainId: BigInt(chainReference), address };
}

/** The interoperable address of a contract on an EVM chain, in lower case. Source: ERC-7930; CAIP-350. */
export function encodeInteroperableAddress({ chainId, address }: { chainId: number; address: Address }): Hex {
  const digits = chainId.toString(16);
  const reference = digits.length % 2 === 0 ? digits : `0${digits}`;
  const length = (reference.length / 2).toString(16).padStart(2, "0");
  return `0x00010000${length}${reference}14${address.slice(2).toLowerCase()}`;
}
