import type { Endpoint } from "../../server/http/endpoint.ts";
import { addressEndpoints } from "./addresses.ts";
import { agentEndpoints } from "./agents.ts";
import { calendarEndpoints } from "./calendars.ts";
import { eventEndpoints } from "./events/lists.ts";
import { historyEndpoints } from "./history.ts";
import { indexingStatus } from "./indexingStatus.ts";
import { batchEndpoints } from "./lookup/lookup.ts";
import { lookupEndpoints } from "./lookups.ts";
import { permissionEndpoints } from "./permissions.ts";
import { populationEndpoints } from "./population.ts";
import { priceEndpoints } from "./prices.ts";
import { primaryNameEndpoints } from "./primaryNames.ts";
import { recordEndpoints } from "./records.ts";
import { registryEndpoints } from "./registries.ts";
import { resolverEndpoints } from "./resolvers.ts";
import { resolvesToEndpoints } from "./resolvesTo.ts";
import { roleEndpoints } from "./roles.ts";
import { salesEndpoints } from "./sales.ts";
import { searchEndpoints } from "./search.ts";
import { statisticsEndpoints } from "./statistics.ts";
import { systemEndpoints } from "./system.ts";
import { verifyEndpoints } from "./verify.ts";
import { whoisEndpoints } from "./whois.ts";

/** Every operation of the core, in the order of the documentation. Features have more. */
export const operations: readonly Endpoint[] = [
  ...whoisEndpoints,
  ...priceEndpoints,
  ...searchEndpoints,
  ...recordEndpoints,
  ...eventEndpoints,
  ...historyEndpoints,
  ...verifyEndpoints,
  ...lookupEndpoints,
  ...batchEndpoints,
  ...addressEndpoints,
  ...permissionEndpoints,
  ...resolvesToEndpoints,
  ...calendarEndpoints,
  ...resolverEndpoints,
  ...registryEndpoints,
  ...roleEndpoints,
  ...primaryNameEndpoints,
  ...agentEndpoints,
  ...statisticsEndpoints,
  ...salesEndpoints,
  ...populationEndpoints,
  indexingStatus,
  ...systemEndpoints,
];
