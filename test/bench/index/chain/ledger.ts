import type { Hex } from "viem";
import type { Contract } from "./contracts.ts";
import type { Argument } from "./encode.ts";
import { hashOf } from "./seeded.ts";

/** A transaction that logged something. */
export type Transaction = { hash: Hex; from: Hex; to: Hex; value: bigint; input: Hex };

/** A block with logs. `timestamp` in unix seconds. */
export type Block = {
  number: number;
  hash: Hex;
  timestamp: number;
  transactions: Transaction[];
  logs: number;
};

/** Bytes of logs are kept in pieces of this size, outside the heap. */
const PIECE = 64 * 2 ** 20;

/** Bytes between two commas of a list. */
type Slice = { piece: number; start: number; end: number };

/** The merge of 2022: blocks took 13.2 seconds before it on average, and 12.07 (with missed slots) after it. */
const MERGE = { block: 15_537_394, timestamp: 1_663_224_179 };

/** When mainnet had a block, within hours; unix seconds. */
export const timeOf = (block: number): number =>
  Math.floor(MERGE.timestamp + (block - MERGE.block) * (block < MERGE.block ? 13.45 : 12.07));

/** The same the other way round. */
export const blockAt = (time: number): number =>
  Math.floor(MERGE.block + (time - MERGE.timestamp) / (time < MERGE.timestamp ? 13.45 : 12.07));

export const blockHash = (number: number): Hex => hashOf(`block ${number}`);

/** Everything that was logged, as a node answers it: logs are kept as the JSON that is sent. */
export class Ledger {
  readonly #timeOf: (block: number) => number;
  readonly blocks: Block[] = [];
  readonly addresses = new Map<string, number>();
  readonly topics = new Map<string, number>();
  /** By log, in the order of the chain. */
  readonly blockNumbers: number[] = [];
  readonly addressOf: number[] = [];
  readonly topicOf: number[] = [];
  /** How often each event was logged, as `<role> <generation> <event>`. */
  readonly counts = new Map<string, number>();
  #pieces: Buffer[] = [];
  #filled = PIECE;
  #slices: Slice[] = [];
  #byNumber = new Map<number, Block>();

  /** A ledger of mainnet's blocks, unless another clock is given. */
  constructor(clock = timeOf) {
    this.#timeOf = clock;
  }

  get logs(): number {
    return this.#slices.length;
  }

  findBlock(number: number): Block | undefined {
    return this.#byNumber.get(number);
  }

  /** Begins a transaction in a block, which must not be before the last one. */
  begin(number: number, transaction: Omit<Transaction, "hash">): void {
    let block = this.blocks.at(-1);
    if (block?.number !== number) {
      block = { number, hash: blockHash(number), timestamp: this.#timeOf(number), transactions: [], logs: 0 };
      this.blocks.push(block);
      this.#byNumber.set(number, block);
    }
    block.transactions.push({
      ...transaction,
      hash: hashOf(`transaction ${number} ${block.transactions.length}`),
    });
  }

  /** Logs an event in the transaction that was begun last. */
  log(contract: Contract, event: string, ...args: Argument[]): void {
    const block = this.blocks.at(-1);
    const encode = contract.events[event];
    if (block === undefined || encode === undefined) throw new Error(`${contract.role} has no ${event}`);
    const { topics, data } = encode(args);
    const index = block.transactions.length - 1;
    this.#keep(
      `{"address":"${contract.address}","topics":["${topics.join('","')}"],"data":"${data}",` +
        `"blockNumber":"0x${block.number.toString(16)}","blockHash":"${block.hash}",` +
        `"transactionHash":"${block.transactions[index]?.hash}","transactionIndex":"0x${index.toString(16)}",` +
        `"logIndex":"0x${block.logs.toString(16)}","removed":false}`,
    );
    block.logs++;
    this.blockNumbers.push(block.number);
    this.addressOf.push(numberOf(this.addresses, contract.address));
    this.topicOf.push(numberOf(this.topics, topics[0] ?? ""));
    const name = `${contract.role} ${contract.generation} ${event}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  #keep(json: string): void {
    if (this.#filled + json.length > PIECE) {
      this.#pieces.push(Buffer.allocUnsafe(PIECE));
      this.#filled = 0;
    }
    const piece = this.#pieces.length - 1;
    this.#pieces[piece]?.write(json, this.#filled, "latin1");
    this.#slices.push({ piece, start: this.#filled, end: this.#filled + json.length });
    this.#filled += json.length;
  }

  /** A log as JSON. */
  jsonOf(log: number): Buffer {
    const slice = this.#slices[log];
    const piece = slice && this.#pieces[slice.piece];
    if (!piece) throw new Error(`there is no log ${log}`);
    return piece.subarray(slice.start, slice.end);
  }
}

function numberOf(numbers: Map<string, number>, word: string): number {
  const known = numbers.get(word);
  if (known !== undefined) return known;
  numbers.set(word, numbers.size);
  return numbers.size - 1;
}
