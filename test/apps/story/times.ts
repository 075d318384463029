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

/** What the story is played on. `present` is the time of the last block, to the second: edges of time are laid around it. */
export type Story = { chain: Chain; base: Chain; cast: Cast; present: bigint };

export const presentOf = (start: bigint): bigint => start + STORY_DAYS * DAY;

/** The next acts happen that long before the present. */
export async function daysBefore({ chain, present }: Story, days: bigint): Promise<void> {
  await setNextTime(chain, present - days * DAY);
}

/** What ends a second before an edge, at it, and a second after it. */
export const around = (edge: bigint): readonly [bigint, bigint, bigint] => [edge - 1n, edge, edge + 1n];

type Lease = { label: string; owner: Address; expiry: bigint };

/** Registers names of ENSv1 in one transaction; each ends at its second. */
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

/** One block holds about that many calls. */
const CALLS_A_BLOCK = 120;
const CALL_GAS = 1_500_000n;

/** Many small calls, in few blocks. */
export async function sendMany(chain: Chain, calls: readonly Call[]): Promise<void> {
  for (let from = 0; from < calls.length; from += CALLS_A_BLOCK) {
    const some = calls.slice(from, from + CALLS_A_BLOCK);
    await sendInOneBlock(
      chain,
      some.map((call) => ({ ...call, gas: CALL_GAS })),
    );
  }
}
