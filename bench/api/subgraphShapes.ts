import { atMost, type Operation, post } from "./operations.ts";

/** How often longer than the least query a list may take. */
export const OTHER = 10;

/** What programs show of a name. */
export const domainFields = `id labelName labelhash name isMigrated createdAt expiryDate parent { name }
  owner { id } registrant { id } wrappedOwner { id } resolvedAddress { id }
  registration { registrationDate expiryDate } wrappedDomain { expiryDate fuses }`;

/** A shape: queries that are asked in turn. */
export const measured = (name: string, queries: readonly object[], times: number): Operation => ({
  name: `/subgraph, ${name}`,
  path: "/subgraph",
  against: "floor",
  figure: "p99",
  requests: queries.map((query) => post("/subgraph", query)),
  target: atMost(times),
  grows: true,
});
