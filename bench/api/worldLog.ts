import { type Address, keccak256, toHex } from "viem";
import { mainnet } from "../../abis/deployments/mainnet.ts";
import type { Chance } from "./chance.ts";
import { WORLD_TIME } from "./worldTime.ts";

/** Receives the rows of a world by table; keys are columns, omitted ones are null. */
export type Put = (table: string, row: Record<string, unknown>) => void;

/** What is generated, and how far it is. */
export type World = {
  names: number;
  owners: number;
  /** How many agents there are so far: the next one's id. */
  agents: number;
  put: Put;
};

export const DAY = 86_400;
export const CHAIN = { chain_id: 1 };
export const FIRST_TIME = 1_580_515_200;
const FIRST_BLOCK = 9_380_410;
export const BLOCK_SECONDS = 12;

export const lower = (address: string): Address => address.toLowerCase() as Address;

/** The address of a contract of mainnet. */
export const find = (role: string, generation: number): Address =>
  lower(mainnet.contracts.find((one) => one.role === role && one.generation === generation)?.address ?? "0x");

/** An odd number of 160 bits: by it the numbers of owners are spread over all addresses, each over another one. */
const SPREAD = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bn;

/** The address of an owner by its number. As on a chain, addresses begin with all digits alike. */
export const addressOfOwner = (number: number): Address =>
  toHex(BigInt.asUintN(160, BigInt(number + 1) * SPREAD), { size: 20 });

/** Names are bought by a few who own very many and by many who own one. */
export const ownerBy = (chance: Chance, owners: number): Address =>
  addressOfOwner(Math.floor(owners * chance.next() ** 2.5));

/** The block of a time, in Unix seconds. */
export const blockAt = (time: number): number =>
  FIRST_BLOCK + Math.floor((time - FIRST_TIME) / BLOCK_SECONDS);

/** The time of a block, in Unix seconds. */
export const timeOf = (block: number): number => FIRST_TIME + (block - FIRST_BLOCK) * BLOCK_SECONDS;

/** Block and time of an event of the i-th name, its `step`-th; each name has its own log index and transactions. */
export function momentOf(i: number, step: number, time: number) {
  const block = blockAt(Math.min(Math.floor(time), WORLD_TIME));
  const at = timeOf(block);
  const transaction = keccak256(toHex(i * 64 + step));
  // Each name has 16 log indexes, and each log of a name another one of these: two logs never have the same place.
  return {
    time: at,
    transaction,
    log: { ...CHAIN, block_number: block, block_timestamp: at, transaction_hash: transaction },
    index: i * 16,
  };
}

export type Moment = ReturnType<typeof momentOf>;

/** A log of a moment at one of its name's places in the block. */
export function putEvent({ put }: World, at: Moment, step: number, fields: Record<string, unknown>): void {
  put("events", { ...at.log, log_index: at.index + step, ordinal: 0, ...fields });
}
