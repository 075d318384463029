/** The chain and the contracts of Namedex. */
export { default } from "../../../../ponder.config.ts";
