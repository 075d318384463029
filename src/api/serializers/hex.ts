import { type Hex, size } from "viem";
import { checksummed } from "../../ens/address.ts";

/** An address as answers show it: EIP-55 checksummed. SQL has it in lower case. */
export const toAddress = checksummed;

/** The decimal number that a hash is as a token id. */
export const toDecimal = (hash: Hex): string => BigInt(hash).toString();

/** ENSIP-11: coin types of EVM chains are 60, or the chain's id with this bit set. */
const EVM_BIT = 0x80000000n;

/** An address record: checksummed for EVM chains, else the bytes that the resolver holds. */
export const toAddressRecord = (bytes: Hex, coinType: bigint): Hex =>
  (coinType === 60n || coinType >= EVM_BIT) && size(bytes) === 20 ? checksummed(bytes) : bytes;
