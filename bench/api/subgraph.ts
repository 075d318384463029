import type { Operation } from "./operations.ts";
import type { Samples } from "./samples.ts";
import { listOperations } from "./subgraphLists.ts";
import { domainFields, measured, OTHER } from "./subgraphShapes.ts";

/* What existing programs ask of the subgraph, each in its own shape. */

const SINGLE = 4;
const PORTFOLIO = 15;
const NAMES_OF_PAGE = 100;

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
export const subgraphOperations = (samples: Samples, now: number): Operation[] => [
  ...ofLibrary(samples, now),
  ...ofPrograms(samples, now),
  ...listOperations(samples, now),
];

/** What ensjs asks. */
function ofLibrary(
  { names: known, addresses, largestOwner, parents, resolvers }: Samples,
  now: number,
): Operation[] {
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
      "ensjs's history of a name",
      known.map(({ node }) => ({ query: events, variables: { id: node } })),
      OTHER,
    ),
    measured(
      "ensjs's names below a name",
      parents.map((name) => ({
        query: `{ domains(first: 1, where: { name: "${name}" }) { subdomains(first: ${NAMES_OF_PAGE}, orderBy: name,
          orderDirection: asc, where: { and: [{ or: [{ expiryDate_gt: "${now}" }, { expiryDate: null }] }] }) { ${domainFields} } } }`,
      })),
      OTHER,
    ),
    measured(
      "the resolver of a name by its id, with the keys of its records",
      known.map(({ node }) => ({
        query: `{ resolver(id: "${resolvers.common}-${node}") { texts coinTypes contentHash addr { id } } }`,
      })),
      OTHER,
    ),
  ];
}

/** What other programs ask: wallets, explorers, voting and tax programs, the metadata service. */
function ofPrograms({ names: known, addresses, largestOwner, parts }: Samples, now: number): Operation[] {
  const byOwner = (query: string) => addresses.map((id) => ({ query, variables: { id } }));
  return [
    measured(
      "names that begin with a text and resolve",
      parts.map((text) => ({
        query: names,
        variables: { by: "labelName", where: { name_starts_with: text, resolvedAddress_not: null } },
      })),
      OTHER,
    ),
    measured(
      "an account's registrations and wrapped names",
      byOwner(`query own($id: ID!) { account(id: $id) { registrations(first: 1000, orderBy: expiryDate,
        where: { expiryDate_gt: ${now} }) { expiryDate domain { name } } wrappedDomains(first: 1000) { domain { name } } } }`),
      OTHER,
    ),
    measured(
      "the registrations of the largest owner, the newest first",
      [
        {
          query: `{ account(id: "${largestOwner}") { registrations(first: 99, orderBy: registrationDate,
            orderDirection: desc, where: { registrationDate_gt: 1 }) { domain { name } } } }`,
        },
      ],
      OTHER,
    ),
    measured(
      "a token's name, registration and fuses at once",
      known.map(({ node, labelhash }) => ({
        query: `query token($node: String, $hash: String) { domain(id: $node) { name labelName resolver { texts } }
          registrations(orderBy: registrationDate, orderDirection: desc, where: { id: $hash }) { registrationDate expiryDate }
          wrappedDomain(id: $node) { expiryDate fuses } }`,
        variables: { node, hash: labelhash },
      })),
      OTHER,
    ),
    measured(
      "names by a part of the label in any case",
      parts.map((text) => ({
        query: `{ domains(first: 20, where: { labelName_contains_nocase: "${text.toUpperCase()}" }) { name } }`,
      })),
      OTHER,
    ),
    measured(
      "names that resolve to an address",
      byOwner(
        "query to($id: String) { domains(where: { resolvedAddress_in: [$id] }) { name owner { id } } }",
      ),
      OTHER,
    ),
    measured(
      "the texts of a name, by relations",
      known.map(({ name }) => ({
        query:
          "query q($name: String) { textChangeds(first: 500, where: { resolver_: { domain_: { name: $name } } }) { key } }",
        variables: { name },
      })),
      OTHER,
    ),
    measured(
      "transfers of what an account owns",
      byOwner(
        "query q($id: String) { transfers(where: { domain_: { owner: $id } }) { blockNumber domain { name } } }",
      ),
      OTHER,
    ),
    measured(
      "what an account got, the newest first",
      byOwner(`query q($id: String) { newOwners(first: 50, orderBy: blockNumber, orderDirection: desc,
        where: { owner: $id }) { blockNumber domain { name } } }`),
      OTHER,
    ),
    measured(
      "the last registration of a name",
      known.map(({ labelhash }) => ({
        query: `{ nameRegistereds(first: 1, orderBy: blockNumber, orderDirection: desc,
          where: { registration: "${labelhash}" }) { transactionID } }`,
      })),
      OTHER,
    ),
  ];
}
