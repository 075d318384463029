import { onchainTable } from "ponder";

/** Ponder asks for one; it stays empty. */
export const nothing = onchainTable("nothing", (t) => ({ id: t.integer().primaryKey() }));
