import type { Meters } from "../../server/observe/meters.ts";
import type { FeedState } from "./rows.ts";

/** Metrics of the feed of changes and its streams. */
export function createFeedMeters({ gauge }: Meters, chainName: (chainId: number) => string) {
  const block = gauge("namedex_feed_block", "Newest block that the feed of changes covers.", ["chain"]);
  const gap = gauge(
    "namedex_feed_gap_seconds",
    "For how long a fault has held back changes from the feed; 0 if none does.",
  );
  const healed = gauge(
    "namedex_feed_healed_gaps",
    "Gaps of the feed of changes that were healed, in its epoch.",
  );
  const streams = gauge("namedex_streams", "Open streams of changes of this process.");
  /** @param feed null until a feed begins */
  return (feed: Pick<FeedState, "blocks" | "gapSince" | "healed"> | null, openStreams: number): void => {
    streams.set(openStreams);
    for (const { chainId, number } of feed?.blocks ?? []) block.set({ chain: chainName(chainId) }, number);
    gap.set(secondsSince(feed?.gapSince ?? null));
    healed.set(feed?.healed ?? 0);
  };
}

/** Seconds since a time in unix seconds, at least 1; 0 for null. */
export const secondsSince = (time: number | null): number =>
  time === null ? 0 : Math.max(1, Math.floor(Date.now() / 1_000) - time);
