import type { Visit } from "../../page.ts";

/** What the views of an address work with. */
export type AddressView = { visit: Visit; address: string; now: number };
