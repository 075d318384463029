import { type Address, getAddress, type Hex, size } from "viem";
import { isEvmCoinType } from "../../../ens/coinType.ts";

/** An address as answers show it: EIP-55 checksummed. SQL has it in lower case. */
export const toAddress = (address: Address): Address => getAddress(address);

/** A hash as a decimal token ID. */
export const toDecimal = (hash: Hex): string => BigInt(hash).toString();

/** An address record: checksummed for EVM chains, otherwise the bytes in the resolver. */
export const toAddressRecord = (bytes: Hex, coinType: bigint): Hex =>
  isEvmCoinType(coinType) && size(bytes) === 20 ? getAddress(bytes) : bytes;

type Happened = { blockNumber: number; blockTimestamp: number; transactionHash: Hex };

/** The block and transaction of something that happened. */
export const toHappened = ({ blockNumber, blockTimestamp, transactionHash }: Happened) => ({
  block_number: blockNumber,
  block_timestamp: blockTimestamp,
  transaction_hash: transactionHash,
});
