import type { Endpoint } from "../../server/http/endpoint.ts";
import { addressEndpoints } from "./addressesEndpoints.ts";
import { agentEndpoints } from "./agentsEndpoints.ts";
import { calendarEndpoints } from "./calendarsEndpoints.ts";
import { eventEndpoints } from "./events/lists.ts";
import { historyEndpoints } from "./historyEndpoints.ts";
import { indexingStatus } from "./indexingStatus.ts";
import { batchEndpoints } from "./lookup/lookupEndpoint.ts";
import { lookupEndpoints } from "./lookupsEndpoints.ts";
import { permissionEndpoints } from "./permissionsEndpoints.ts";
import { populationEndpoints } from "./populationEndpoints.ts";
import { priceEndpoints } from "./pricesEndpoints.ts";
import { primaryNameEndpoints } from "./primaryNamesEndpoints.ts";
import { recordEndpoints } from "./recordsEndpoints.ts";
import { registryEndpoints } from "./registriesEndpoints.ts";
import { resolverEndpoints } from "./resolversEndpoints.ts";
import { resolvesToEndpoints } from "./resolvesToEndpoints.ts";
import { roleEndpoints } from "./rolesEndpoints.ts";
import { salesEndpoints } from "./salesEndpoints.ts";
import { searchEndpoints } from "./searchEndpoints.ts";
import { statisticsEndpoints } from "./statisticsEndpoints.ts";
import { systemEndpoints } from "./systemEndpoints.ts";
import { verifyEndpoints } from "./verifyEndpoints.ts";
import { whoisEndpoints } from "./whoisEndpoints.ts";

/** Every operation of the core, in the order of the documentation. Features add theirs. */
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
