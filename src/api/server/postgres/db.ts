import type schema from "ponder:schema";
import type { ReadonlyDrizzle } from "ponder";

/** Reads the index's tables. */
export type Db = ReadonlyDrizzle<typeof schema>;
