/** The table that Namedex's changes of Ponder write blocks to. Of its own it needs none. */
export { block } from "../../../../ponder.schema.ts";
