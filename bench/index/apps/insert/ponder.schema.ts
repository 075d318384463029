import { onchainTable, primaryKey } from "ponder";

/** The table that Namedex's changes of Ponder write blocks to. */
export { block } from "../../../../ponder.schema.ts";

/** One row for each log: where it stands, and who logged what. */
export const logged = onchainTable(
  "logged",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
    contractAddress: t.hex().notNull(),
    eventName: t.text().notNull(),
    subject: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex] }) }),
);
