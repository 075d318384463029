import { type Address, getAddress, numberToHex } from "viem";
import { ethNode, type RecordWrite, registerReferred, rpc, writeRecords } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { historiesOf, playSteps, type Step } from "../truth/steps.ts";
import { startHistoryChain } from "../truth/trial.ts";

/** The name whose records show the number of their beat. */
export const PULSE = "pulse.eth";
export const PULSE_KEYS = ["one", "two"] as const;
const RESOLVER = "resolver5";

/** Each value that was the chain's newest, in order: a reorganisation brings old ones back. */
export type Timeline = number[];

/** A chain with a past, a name that changes all its records at once, and further steps of a history. */
export type FaultChain = {
  local: LocalChain;
  timeline: Timeline;
  /** Writes the next number into every record of the name, in one transaction and so in one block. */
  beat: () => Promise<void>;
  /** Plays the next steps of the history. */
  play: (steps: number) => Promise<void>;
  /**
   * Removes this many blocks. `ends` are the beats of the two blocks that the chain then ends with: when Ponder sees a shorter
   * chain, it removes one block more and then indexes it again.
   */
  rollback: (blocks: number, ends: [number, number]) => Promise<void>;
  stop: () => Promise<void>;
};

/** The address that beat number `n` writes. */
export const pulseAddress = (n: number): Address => getAddress(numberToHex(0x1000 + n, { size: 20 }));

const writesOf = (n: number): RecordWrite[] => [
  ...PULSE_KEYS.map((key) => ({ kind: "text" as const, key, value: String(n) })),
  { kind: "addr", address: pulseAddress(n) },
];

/** Starts a chain on which `past` steps of a seeded history were played and the name has beaten once. */
export async function startFaultChain({ seed, past }: { seed: number; past: number }): Promise<FaultChain> {
  const local = await startHistoryChain();
  const { chain, anvil } = local;
  const [from] = chain.accounts;
  if (from === undefined) throw new Error("The chain has no accounts");
  const [steps = []] = historiesOf({ seed, runs: 1, steps: past + 300 });
  const left: Step[] = [...steps];
  const timeline: Timeline = [];
  let last = 0;
  const node = ethNode("pulse");
  const play = async (count: number) => {
    if (left.length < count) throw new Error("The history is too short");
    await playSteps(chain, "fault", left.splice(0, count));
  };
  const beat = async () => {
    timeline.push(++last); // Recorded before it is sent: no answer can know it earlier.
    await writeRecords(chain, { from, resolver: RESOLVER, node, writes: writesOf(last) });
  };
  const rollback = async (depth: number, ends: [number, number]) => {
    timeline.push(...ends);
    await rpc(chain, "anvil_rollback", [depth]);
  };
  timeline.push(++last);
  await registerReferred(chain, {
    from,
    label: "pulse",
    duration: 100n * 365n * 86_400n,
    resolver: RESOLVER,
    records: writesOf(last),
  });
  await play(past);
  return { local, timeline, beat, play, rollback, stop: () => anvil.stop() };
}
