import type { Endpoint } from "../endpoint.ts";
import { domainEndpoints } from "./domains.ts";
import { historyEndpoints } from "./history.ts";
import { systemEndpoints } from "./system.ts";

/** Every operation of the API, in the order of the documentation. */
export const operations: readonly Endpoint[] = [...domainEndpoints, ...historyEndpoints, ...systemEndpoints];
