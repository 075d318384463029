import {
  addressRecord,
  domain,
  ensv2Link,
  ensv2Proxy,
  event,
  ownershipChange,
  resolverNode,
} from "ponder:schema";
import { aliased } from "./aliased.ts";

/* Rows of the tables, by the names that they have in a statement. */

export const addressRecordAs = aliased(addressRecord);
export const domainAs = aliased(domain);
export const eventAs = aliased(event);
export const linkAs = aliased(ensv2Link);
export const ownershipChangeAs = aliased(ownershipChange);
export const proxyAs = aliased(ensv2Proxy);
export const resolverNodeAs = aliased(resolverNode);
