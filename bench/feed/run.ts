/**
 * `npm run bench:feed`: the feed of changes, its webhooks and its streams, on one chain with one Namedex. How long after a block's
 * commit changes arrive, what it costs to find who wants them, and what the feed costs the indexer.
 */
import { startTemporaryPostgres } from "../../devnet/postgres.ts";
import { isAsked, readOptions, reportOptions } from "../commandLine.ts";
import { type Figure, judge, report } from "../report.ts";
import { measureCost } from "./cost.ts";
import { measureDeliveries } from "./deliveries.ts";
import { measureMatching } from "./matching.ts";
import { type FeedStage, openFeedStage } from "./stage.ts";
import { measureStreams } from "./streams.ts";

/** Sizes of a quick look, and those that the goals are of. */
const QUICK = { subscriptions: 200, streams: 100, blocks: 10 };
const WHOLE = { subscriptions: 10_000, streams: 2_000, blocks: 100 };

/** Changes of the names in a block: few, as blocks mostly have, and many. */
const FEW = 10;
const MANY = 200;

const {
  only = "",
  whole = false,
  ...given
} = readOptions("npm run bench:feed", {
  whole: { meaning: "10000 subscriptions, 2000 streams and 100 blocks, unless told" },
  subscriptions: { value: "N", meaning: "webhooks, each of another name; 200 unless told" },
  streams: { value: "N", meaning: "readers of streams at once; 100 unless told" },
  blocks: { value: "N", meaning: "blocks of each measurement; 10 unless told" },
  only: { value: "TEXT", meaning: "only parts whose name has this text; several with `|` between" },
  ...reportOptions,
});
const { subscriptions, streams, blocks } = { ...(whole ? WHOLE : QUICK), ...given };

type Part = { name: string; measure: (stage: FeedStage) => Promise<Figure[]> };

const parts: Part[] = [
  { name: "matching", measure: async () => measureMatching(subscriptions) },
  {
    name: "deliveries",
    measure: (stage) => measureDeliveries(stage, { subscriptions, blocks, changes: FEW }),
  },
  {
    name: "cost",
    measure: async (stage) => [
      ...(await measureCost(stage, { blocks, changes: FEW })),
      ...(await measureCost(stage, { blocks, changes: MANY })),
    ],
  },
  { name: "streams", measure: (stage) => measureStreams(stage, { streams, blocks, changes: FEW }) },
];

const postgres = await startTemporaryPostgres();
try {
  const stage = await openFeedStage(postgres.url, MANY);
  const figures: Figure[] = [];
  try {
    for (const part of parts.filter((one) => isAsked(only, one))) {
      console.error(part.name);
      figures.push(...(await part.measure(stage)));
    }
  } finally {
    await stage.close();
  }
  const made = `One chain, one Namedex; ${blocks} blocks per measurement`;
  report(figures.map(judge), { ...given, made });
} finally {
  await postgres.stop();
}
