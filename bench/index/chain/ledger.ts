import type { Hex } from "viem";
import { Column, firstAtLeast } from "./column.ts";
import type { Contract } from "./contracts.ts";
import type { Argument } from "./encode.ts";
import { hashOf } from "./seeded.ts";
import { TextFile } from "./textFile.ts";
import { Words } from "./words.ts";

/** A transaction that logged something. */
export type Transaction = { hash: Hex; from: Hex; to: Hex; value: bigint; input: Hex };

/** A block with logs. */
export type Block = { number: number; hash: Hex; transactions: Transaction[] };

/** The merge of 2022: blocks took 13.2 seconds before it on average, and 12.07 (with missed slots) after it. */
const MERGE = { block: 15_537_394, timestamp: 1_663_224_179 };

/** When mainnet had a block, within hours; unix seconds. */
export const timeOf = (block: number): number =>
  Math.floor(MERGE.timestamp + (block - MERGE.block) * (block < MERGE.block ? 13.45 : 12.07));

/** The same the other way round. */
export const blockAt = (time: number): number =>
  Math.floor(MERGE.block + (time - MERGE.timestamp) / (time < MERGE.timestamp ? 13.45 : 12.07));

export const blockHash = (number: number): Hex => hashOf(`block ${number}`);

const transactionHash = (block: number, index: number): Hex => hashOf(`transaction ${block} ${index}`);

/**
 * Everything that was logged, as a node answers it: logs are kept as the JSON that is sent. A million names have twelve
 * million logs in five million transactions, so those are in a file, and these in columns; hashes are made when asked for.
 */
export class Ledger {
  readonly #timeOf: (block: number) => number;
  readonly #logs = new TextFile();
  readonly addresses = new Words();
  readonly topics = new Words();
  /** By log, in the order of the chain. */
  readonly #blockOf = new Column(Uint32Array);
  readonly #addressOf = new Column(Uint32Array);
  readonly #topicOf = new Column(Uint32Array);
  /** How often each event was logged, as `<role> <generation> <event>`. */
  readonly counts = new Map<string, number>();
  /** By block: its number, and its first transaction. */
  readonly #blocks = new Column(Uint32Array);
  readonly #firstTransactions = new Column(Uint32Array);
  /** By transaction. Accounts and calldata come again and again. */
  readonly #words = new Words();
  readonly #senders = new Column(Uint32Array);
  readonly #receivers = new Column(Uint32Array);
  readonly #inputs = new Column(Uint32Array);
  readonly #values = new Column(BigUint64Array);
  /** What logs of the last transaction have in common, and how many logs its block has. */
  #place = "";
  #lastBlock = -1;
  #logsOfBlock = 0;

  get logs(): number {
    return this.#logs.length;
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  get transactions(): number {
    return this.#senders.length;
  }

  blockOf(log: number): number {
    return this.#blockOf.at(log);
  }

  /** Numbers among `addresses`, and among `topics`. */
  addressOf(log: number): number {
    return this.#addressOf.at(log);
  }

  topicOf(log: number): number {
    return this.#topicOf.at(log);
  }

  /** First log at or after a block. */
  firstLogAt(block: number): number {
    return firstAtLeast(this.#blockOf, block);
  }

  findBlock(number: number): Block | undefined {
    const place = firstAtLeast(this.#blocks, number);
    if (place === this.blocks || this.#blocks.at(place) !== number) return undefined;
    const first = this.#firstTransactions.at(place);
    const end = place + 1 < this.blocks ? this.#firstTransactions.at(place + 1) : this.transactions;
    const transactions = Array.from({ length: end - first }, (_, index) => ({
      ...this.#transactionAt(first + index),
      hash: transactionHash(number, index),
    }));
    return { number, hash: blockHash(number), transactions };
  }

  #transactionAt(place: number): Omit<Transaction, "hash"> {
    const [from, to, input] = [this.#senders, this.#receivers, this.#inputs].map((column) =>
      this.#words.at(column.at(place)),
    ) as [Hex, Hex, Hex];
    return { from, to, value: this.#values.at(place), input };
  }

  constructor(timeOfBlock = timeOf) {
    this.#timeOf = timeOfBlock;
  }

  /** Begins a transaction in a block, which must not be before the last one. */
  begin(number: number, { from, to, value, input }: Omit<Transaction, "hash">): void {
    if (this.#lastBlock !== number) {
      this.#lastBlock = number;
      this.#logsOfBlock = 0;
      this.#blocks.add(number);
      this.#firstTransactions.add(this.transactions);
    }
    const index = this.transactions - this.#firstTransactions.at(this.blocks - 1);
    this.#senders.add(this.#words.add(from));
    this.#receivers.add(this.#words.add(to));
    this.#inputs.add(this.#words.add(input));
    this.#values.add(value);
    this.#place =
      `"blockNumber":"0x${number.toString(16)}","blockHash":"${blockHash(number)}",` +
      `"blockTimestamp":"0x${this.#timeOf(number).toString(16)}",` +
      `"transactionHash":"${transactionHash(number, index)}","transactionIndex":"0x${index.toString(16)}",`;
  }

  /** Logs an event in the transaction that was begun last. */
  log(contract: Contract, event: string, ...args: Argument[]): void {
    const encode = contract.events[event];
    if (this.#place === "" || encode === undefined) throw new Error(`${contract.role} has no ${event}`);
    const { topics, data } = encode(args);
    this.#logs.add(
      `{"address":"${contract.address}","topics":["${topics.join('","')}"],"data":"${data}",` +
        `${this.#place}"logIndex":"0x${this.#logsOfBlock.toString(16)}","removed":false},`,
    );
    this.#logsOfBlock++;
    this.#blockOf.add(this.#lastBlock);
    this.#addressOf.add(this.addresses.add(contract.address));
    this.#topicOf.add(this.topics.add(topics[0] ?? ""));
    const name = `${contract.role} ${contract.generation} ${event}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** These logs, which rise, as JSON, each with a comma after it. */
  read(logs: readonly number[]): Buffer[] {
    return this.#logs.read(logs);
  }

  topicsOf(log: number): string[] {
    const json = this.read([log])[0]?.toString("latin1") ?? "";
    return (JSON.parse(json.slice(0, -1)) as { topics: string[] }).topics;
  }
}
