import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";

/** The log that causes a write: every row that comes from it names it. */
export type LogRef = {
  chainId: number;
  blockNumber: number;
  /** No column has it; it tells a block from another one of its number. */
  blockHash: Hex;
  /** Unix seconds. */
  blockTimestamp: number;
  transactionHash: Hex;
  /** No column of state has it; a transaction is asked for by its place. */
  transactionIndex: number;
  logIndex: number;
  /** Counts the names that one log concerns, from 0. */
  ordinal: number;
  /** Family of the emitter, as in `events.contract`. */
  contract: string;
  contractAddress: Address;
  /** The event's name in the contract. */
  eventType: string;
};

/** What every event of Ponder has. */
export type LogEvent = {
  block: { number: bigint; hash: Hex; timestamp: bigint };
  log: {
    address: Address;
    logIndex: number;
    transactionIndex: number;
    transactionHash: Hex;
    topics: readonly (Hex | null)[];
    data: Hex;
  };
};

/** What a handler gets. */
export type HandlerArgs<Of extends LogEvent = LogEvent> = { event: Of; context: Context; log: LogRef };

/** The reference to an event's log, for all writes that it causes. */
export const logRefOf = (context: Context, event: LogEvent, contract: string, eventType: string): LogRef => ({
  chainId: context.chain.id,
  blockNumber: Number(event.block.number),
  blockHash: event.block.hash,
  blockTimestamp: Number(event.block.timestamp),
  transactionHash: event.log.transactionHash,
  transactionIndex: event.log.transactionIndex,
  logIndex: event.log.logIndex,
  ordinal: 0,
  contract,
  contractAddress: event.log.address,
  eventType,
});

/** The columns of a row of state for the log that set it. */
export const placeOf = ({
  blockNumber,
  logIndex,
  blockTimestamp,
  transactionHash,
}: Pick<LogRef, "blockNumber" | "logIndex" | "blockTimestamp" | "transactionHash">) => ({
  blockNumber,
  logIndex,
  blockTimestamp,
  transactionHash,
});

/** Null for the zero address, which means "none". */
export const nullIfZero = (address: Address): Address | null => (/^0x0+$/.test(address) ? null : address);
