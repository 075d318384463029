import { atMost, type Operation, post } from "./operations.ts";
import type { Samples } from "./samples.ts";

/* What existing programs ask of the subgraph, each in its own shape. */

const SINGLE = 4;
const PORTFOLIO = 15;
const OTHER = 10;
const NAMES_OF_PAGE = 100;

const domainFields = `id labelName labelhash name isMigrated createdAt expiryDate parent { name }
  owner { id } registrant { id } wrappedOwner { id } resolvedAddress { id }
  registration { registrationDate expiryDate } wrappedDomain { expiryDate fuses }`;

const names = `query names($where: Domain_filter, $by: Domain_orderBy) {
  domains(first: ${NAMES_OF_PAGE}, orderBy: $by, orderDirection: asc, where: $where) { ${domainFields} } }`;

/** As ensjs asks for the names of an address: by every role, without those that are over. */
const ofAddress = (address: string, now: number) => ({
  and: [
    { or: ["owner", "registrant", "wrappedOwner"].map((role) => ({ [role]: address })) },
    { parent_not: "0x91d1777781884d03a6757a803996e38de2a42967fb37eeaca72729271025a9e2" },
    { or: [{ expiryDate_gt: String(now) }, { expiryDate: null }] },
    {
      or: [
        { owner_not: "0x0000000000000000000000000000000000000000" },
        { resolver_not: null },
        { registrant_not: null },
      ],
    },
  ],
});

const events = `query history($id: ID!) { domain(id: $id) { events { id blockNumber transactionID
    ... on NewOwner { owner { id } } ... on Transfer { owner { id } } ... on NewResolver { resolver { id } } }
  registration { events { id blockNumber ... on NameRegistered { registrant { id } expiryDate } } }
  resolver { events { id blockNumber ... on TextChanged { key value } } } } }`;

/** The shapes of clients that are measured. `now`: unix seconds of the generated index */
export function subgraphOperations(samples: Samples, now: number): Operation[] {
  const { names: known, addresses, largestOwner, parts } = samples;
  const measured = (name: string, queries: readonly object[], times: number): Operation => ({
    ...{ name: `/subgraph, ${name}`, path: "/subgraph", against: "floor", figure: "p99" },
    ...{ requests: queries.map((query) => post("/subgraph", query)), target: atMost(times), grows: true },
  });
  const owned = (address: string, by: string) => ({
    query: names,
    variables: { by, where: ofAddress(address, now) },
  });
  return [
    measured("_meta", [{ query: "{ _meta { block { number hash } } }" }], SINGLE),
    measured(
      "a domain by its id",
      known.map(({ node }) => ({ query: `{ domain(id: "${node}") { ${domainFields} } }` })),
      SINGLE,
    ),
    measured(
      "a registration by its id",
      known.map(({ labelhash }) => ({
        query: `{ registration(id: "${labelhash}") { expiryDate registrant { id } } }`,
      })),
      SINGLE,
    ),
    measured(
      "names by name",
      known.map(({ name }) => ({
        query:
          "query q($name: String) { domains(where: { name: $name }) { id owner { id } resolver { addr { id } } } }",
        variables: { name },
      })),
      OTHER,
    ),
    measured(
      "ensjs's names of an address",
      addresses.map((one) => owned(one, "name")),
      PORTFOLIO,
    ),
    measured("ensjs's names of the largest owner", [owned(largestOwner, "name")], PORTFOLIO),
    measured("the same by expiry", [owned(largestOwner, "expiryDate")], PORTFOLIO),
    measured(
      "names that begin with a text and resolve",
      parts.map((text) => ({
        query: names,
        variables: { by: "labelName", where: { name_starts_with: text, resolvedAddress_not: null } },
      })),
      OTHER,
    ),
    measured(
      "registrations that end soon",
      [
        {
          query: `{ registrations(first: 100, orderBy: expiryDate, where: { expiryDate_gt: ${now} }) { expiryDate domain { name } } }`,
        },
      ],
      OTHER,
    ),
    measured(
      "ensjs's history of a name",
      known.map(({ node }) => ({ query: events, variables: { id: node } })),
      OTHER,
    ),
  ];
}
