import type { Endpoint } from "../http/endpoint.ts";
import { addressEndpoints } from "./addresses.ts";
import { agentEndpoints } from "./agents.ts";
import { bulkEndpoints } from "./bulk.ts";
import { calendarEndpoints } from "./calendars.ts";
import { domainEndpoints } from "./domains.ts";
import { historyEndpoints } from "./history.ts";
import { indexingStatus } from "./indexingStatus.ts";
import { lookupEndpoints } from "./lookups.ts";
import { primaryNameEndpoints } from "./primaryNames.ts";
import { recordEndpoints } from "./records.ts";
import { searchEndpoints } from "./search.ts";
import { seriesEndpoints } from "./series.ts";
import { statisticsEndpoints } from "./statistics.ts";
import { systemEndpoints } from "./system.ts";

/** Every operation of the API, in the order of the documentation. */
export const operations: readonly Endpoint[] = [
  ...domainEndpoints,
  ...bulkEndpoints,
  ...searchEndpoints,
  ...recordEndpoints,
  ...historyEndpoints,
  ...lookupEndpoints,
  ...addressEndpoints,
  ...calendarEndpoints,
  ...primaryNameEndpoints,
  ...agentEndpoints,
  ...statisticsEndpoints,
  ...seriesEndpoints,
  indexingStatus,
  ...systemEndpoints,
];
