import type { Address } from "viem";
import type { Chain } from "./acts.ts";
import { DAY, setNextTime, warpTo } from "./acts.ts";

/** Days from the first block to the present; every time of a story is counted from the first block. */
const STORY_DAYS = 1000n;

/** Length of the stories in seconds: a chain that starts this long ago ends its story now. */
export const STORY_SECONDS = STORY_DAYS * DAY;

/** Who plays, by position among the chain's accounts. `controller` may register by hash alone. */
export const demoCast = { deployer: 0, alice: 1, bob: 2, carol: 3, controller: 4 } as const;

export type Cast = { chain: Chain; start: bigint } & Record<keyof typeof demoCast, Address>;

/** What happens on one day of a story; a day's acts follow each other within minutes. */
export type Chapter = { day: bigint; title: string; play: (cast: Cast) => Promise<void> };

/** `start` is the time of the chain's first block in Unix seconds; `onChapter` hears each title before it is played. */
export type Telling = { start: bigint; onChapter?: (title: string) => void };

/** Plays the chapters in the order of their days. */
export async function playChapters(
  chain: Chain,
  chapters: readonly Chapter[],
  { start, onChapter }: Telling,
): Promise<void> {
  const cast = { chain, start, ...castOf(chain) };
  const byDay = [...chapters].sort((a, b) => Number(a.day - b.day));
  for (const { day, title, play } of byDay) {
    onChapter?.(title);
    await setNextTime(chain, start + day * DAY);
    await play(cast);
  }
  await warpTo(chain, { timestamp: start + STORY_SECONDS });
}

function castOf(chain: Chain): Record<keyof typeof demoCast, Address> {
  const entries = Object.entries(demoCast).map(([who, index]) => {
    const account = chain.accounts[index];
    if (account === undefined) throw new Error(`The demo needs account ${index} (${who}) of the chain`);
    return [who, account];
  });
  return Object.fromEntries(entries) as Record<keyof typeof demoCast, Address>;
}
