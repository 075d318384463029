import { type Address, type Hex, pad } from "viem";
import { rpc } from "../../../devnet/acts.ts";
import { stage } from "../frame.ts";

/* Logs as the chain has them: the expected content of a list of events. */

export type Log = {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex;
  logIndex: Hex;
  transactionHash: Hex;
};

/** Every log of a chain, or of a contract, oldest first. */
export const logsOf = (address?: Address): Promise<Log[]> =>
  rpc<Log[]>(stage.chain, "eth_getLogs", [
    { fromBlock: "0x0", toBlock: "latest", ...(address && { address }) },
  ]);

/** Logs that have an account among their topics. */
export const logsWith = async (account: Address): Promise<Log[]> => {
  const topic = pad(account).toLowerCase();
  return (await logsOf()).filter(({ topics }) => topics.slice(1).includes(topic as Hex));
};

/** Position of a log on the main chain: `block/index`. */
export const slotOf = ({ blockNumber, logIndex }: Log): string =>
  `${Number(blockNumber)}/${Number(logIndex)}`;

/** An event as answers have it, limited to what the screens read. */
export type Event = {
  id?: string;
  type?: string;
  contract: string;
  contract_address?: Address;
  event_type: string;
  chain: string;
  block_number: number;
  block_timestamp: number;
  transaction_hash: Hex;
  log_index: number;
  domain?: string;
  namehash?: Hex;
  key?: string;
  value?: string;
  subregistry_address?: string;
  token_id?: string;
  account_address?: string;
};

export const slotOfEvent = ({ block_number, log_index }: Event): string => `${block_number}/${log_index}`;

/** Newest first, and each event once. */
export function isNewestFirst(events: readonly Event[]): boolean {
  const isBefore = (a: Event, b: Event) =>
    a.block_timestamp > b.block_timestamp ||
    (a.block_timestamp === b.block_timestamp &&
      (a.chain !== b.chain || a.block_number > b.block_number || a.log_index >= b.log_index));
  const ids = events.map((one) => one.id ?? `${one.chain} ${slotOfEvent(one)}`);
  return (
    new Set(ids).size === ids.length &&
    events.every((one, at) => at === 0 || isBefore(events[at - 1] as Event, one))
  );
}
