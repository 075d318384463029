import type { Attack } from "../attack.ts";
import { type HostileStage, VICTIM } from "../stage.ts";

export type Crowd = {
  requests: readonly [path: string, init?: RequestInit][];
  atOnce: number;
  /** Their allowed statuses. */
  statuses: readonly number[];
};

/** Asks many times, some at a time. @throws if an answer has another status */
export async function askCrowd(
  { stack }: HostileStage,
  { requests, atOnce, statuses }: Crowd,
): Promise<void> {
  const waiting = [...requests];
  const ask = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const reply = await fetch(`${stack.url}${next[0]}`, next[1]);
      await reply.arrayBuffer();
      if (!statuses.includes(reply.status)) throw new Error(`${next[0]}: ${reply.status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
}

/** Requests that a stranger repeats many times, some at a time. */
export const crowd = (what: string, asked: Crowd): Attack => ({
  name: `${asked.requests.length.toLocaleString("en")} ${what}, ${asked.atOnce} at a time`,
  run: async (stage) => {
    await askCrowd(stage, asked);
    return { names: [VICTIM] };
  },
});
