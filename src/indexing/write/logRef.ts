import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";

/** The log that causes a write: what every row that comes of it says about its origin. */
export type LogRef = {
  chainId: number;
  blockNumber: number;
  /** Unix seconds. */
  blockTimestamp: number;
  transactionHash: Hex;
  logIndex: number;
  /** Counts the names that one log concerns, from 0. */
  ordinal: number;
  /** Family of the emitter, as `events.contract` has it. */
  contract: string;
  contractAddress: Address;
  /** The event's name in the contract. */
  eventType: string;
};

/** What a cause is made of; every event of Ponder has it. */
type Logged = {
  block: { number: bigint; timestamp: bigint };
  transaction: { hash: Hex };
  log: { address: Address; logIndex: number };
};

/** The cause of all writes that one event leads to. */
export const logRefOf = (context: Context, event: Logged, contract: string, eventType: string): LogRef => ({
  chainId: context.chain.id,
  blockNumber: Number(event.block.number),
  blockTimestamp: Number(event.block.timestamp),
  transactionHash: event.transaction.hash,
  logIndex: event.log.logIndex,
  ordinal: 0,
  contract,
  contractAddress: event.log.address,
  eventType,
});

/** The zero address as "none". */
export const nullIfZero = (address: Address): Address | null => (/^0x0+$/.test(address) ? null : address);
