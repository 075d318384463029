import type { Visit } from "../../page.ts";
import type { Domain } from "../../replies.ts";

/** What the views of a name work with. */
export type NameView = { visit: Visit; domain: Domain; now: number };
