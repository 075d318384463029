import type { Address } from "viem";
import { expect } from "vitest";
import {
  BLOCK_SECONDS,
  type Call,
  type Chain,
  COMMITMENT_SECONDS,
  DAY,
  latestTime,
  read,
  registerManyReferred,
  sendInOneBlock,
  setNextTime,
  tokenIdOf,
} from "../../../devnet/acts.ts";
import type { Cast } from "../../chain/stage.ts";

/** From the first block to the present. */
const STORY_DAYS = 400n;

/** Where the story is played. `present` is the time of the last block, exact to the second, so that names can end around it. */
export type Story = { chain: Chain; base: Chain; cast: Cast; present: bigint };

export const presentOf = (start: bigint): bigint => start + STORY_DAYS * DAY;

/** The next acts happen this long before the present. */
export async function daysBefore({ chain, present }: Story, days: bigint): Promise<void> {
  await setNextTime(chain, present - days * DAY);
}

/** A second before an edge, the edge, and a second after it. */
export const around = (edge: bigint): readonly [bigint, bigint, bigint] => [edge - 1n, edge, edge + 1n];

type Lease = { label: string; owner: Address; expiry: bigint };

/** Registers names of ENSv1 in one transaction, each with its own second of expiry. */
export async function leaseUntil(
  chain: Chain,
  { from, leases }: { from: Address; leases: readonly Lease[] },
): Promise<void> {
  const commitments = BigInt(leases.length * BLOCK_SECONDS);
  const at = (await latestTime(chain)) + commitments + COMMITMENT_SECONDS;
  const registrations = leases.map(({ label, owner, expiry }) => ({
    label,
    owner,
    duration: expiry - at,
    resolver: "resolver5",
  }));
  await registerManyReferred(chain, { from, registrations });
  for (const { label, expiry } of leases) {
    const question = { contract: "registrar", functionName: "nameExpires", args: [tokenIdOf(label)] };
    expect(await read<bigint>(chain, question), label).toBe(expiry);
  }
}

/** The approximate number of calls that fit in one block. */
const CALLS_A_BLOCK = 120;
const CALL_GAS = 1_500_000n;

/** Sends many small calls in few blocks. */
export async function sendMany(chain: Chain, calls: readonly Call[]): Promise<void> {
  for (let from = 0; from < calls.length; from += CALLS_A_BLOCK) {
    const some = calls.slice(from, from + CALLS_A_BLOCK);
    await sendInOneBlock(
      chain,
      some.map((call) => ({ ...call, gas: CALL_GAS })),
    );
  }
}
