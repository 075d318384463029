import { MOST_TOUCHED } from "../../src/api/features/feed/advance.ts";
import { MAX_TEXT_BYTES } from "../../src/api/features/feed/compare.ts";
import { MOST_HEALED } from "../../src/api/features/feed/heal.ts";
import { MAX_CHANGES as MAX_FEED_CHANGES } from "../../src/api/features/feed/operations.ts";
import { MAX_SCANNED } from "../../src/api/features/feed/read.ts";
import { MAX_RESYNCED, MAX_RESYNCED_BYTES } from "../../src/api/features/feed/resync.ts";
import { MOST_OF_PAGE, READ_AT_ONCE } from "../../src/api/features/feed/stream/follow.ts";
import { MOST_IN_MEMORY } from "../../src/api/features/feed/stream/hub.ts";
import { MOST_OF_CALLER, MOST_STREAMS } from "../../src/api/features/feed/stream/places.ts";
import { INVALID, kib, mib, number, RATE_LIMITED, type Section, shares } from "../docs/limitRows.ts";

/** Its rows of the limit tables in docs/security.md. */
export const limits: Section = [
  "Change feed",
  [
    ["Changes per response", number(MAX_FEED_CHANGES), INVALID],
    ["Changes scanned for one page", number(MAX_SCANNED), "The page ends with a position to continue from."],
    ["Text value", `${number(MAX_TEXT_BYTES)} bytes`, "Replaced by its hash and length."],
    [
      "Touched rows compared at once",
      number(MOST_TOUCHED),
      "A new epoch begins: readers reload what they follow.",
    ],
    ["Rows compared to close a gap", number(MOST_HEALED), "A new epoch begins."],
    ["Changes in memory", number(MOST_IN_MEMORY), "Readers further behind read the table."],
    ["Streams per process", shares({ most: MOST_STREAMS, each: MOST_OF_CALLER }), RATE_LIMITED],
    ["Pages read at once for streams that lag", READ_AT_ONCE, "Wait their turn."],
    ["Memory per lagging stream", `${kib(MOST_OF_PAGE)} and one change`, "The rest stays in the table."],
    [
      "Values in a resync",
      `${number(MAX_RESYNCED)} rows, ${mib(MAX_RESYNCED_BYTES)}`,
      "410 `POSITION_GONE`; a webhook gets `webhook.gap` without them",
    ],
  ],
];
