import { ETH_NODE } from "../../src/ens/name.ts";
import type { Operation } from "./operations.ts";
import type { Samples } from "./samples.ts";
import { domainFields, measured, OTHER } from "./subgraphShapes.ts";

/** Lists of names and events, in the shapes of existing programs. `now`: unix seconds of the generated index */
export const listOperations = (samples: Samples, now: number): Operation[] => [
  ...ofLists(samples),
  ...ofWholeLists(samples, now),
  ...ofOrders(samples, now),
  ...ofPastBlocks(samples),
];

/** Lists by names and labels: of voting programs, registries of groups, and documentation. */
function ofLists({ names: known, addresses, parents }: Samples): Operation[] {
  const hashes = known.slice(0, 20).map(({ labelhash }) => labelhash);
  return [
    measured(
      "what a hash stands for",
      known.map(({ node, labelhash }) => ({
        query: `{ labels0: domains(first: 1, where: { labelhash: "${labelhash}", labelName_not: null }) { labelName }
          domain(id: "${node}") { name } }`,
      })),
      OTHER,
    ),
    measured(
      "names of an owner",
      addresses.map((id) => ({
        query: "query q($id: String) { domains(where: { owner: $id }) { name } }",
        variables: { id },
      })),
      OTHER,
    ),
    measured(
      "an account's names among some labels",
      addresses.map((id) => ({
        query: `query q($id: String!, $hashes: [Bytes]) { account(id: $id) { domains(first: 1000, where: {
          labelhash_in: $hashes, labelName_not: null }) { name } wrappedDomains(first: 1000) { name } } }`,
        variables: { id, hashes },
      })),
      OTHER,
    ),
    measured(
      "names below the names of a label",
      parents.map((name) => ({
        query: `query q($label: String, $skip: Int) { domains(where: { labelName: $label }) {
          subdomains(first: 1000, skip: $skip) { name owner { id } } } }`,
        variables: { label: name.split(".")[0], skip: null },
      })),
      OTHER,
    ),
    measured(
      "names of a list",
      known.map((_, i) => ({
        query: "query q($names: [String!]) { domains(where: { name_in: $names }) { name } }",
        variables: { names: known.slice(i, i + 20).map(({ name }) => name) },
      })),
      OTHER,
    ),
    measured(
      "when a name expires, by its registration",
      known.map(({ name }) => ({
        query: "query q($name: String) { registrations(where: { domain_: { name: $name } }) { expiryDate } }",
        variables: { name },
      })),
      OTHER,
    ),
  ];
}

/** Pages of whole lists, one after the other: site maps, lists of what ends, copies of all events. */
function ofWholeLists({ names: known }: Samples, now: number): Operation[] {
  const after = (query: string) => known.map(({ node }) => ({ query, variables: { last: node } }));
  const events = (list: string, id: string) => ({
    query: `{ ${list}(first: 100, where: { id_gt: "${id}" }) { id blockNumber transactionID } }`,
  });
  return [
    measured(
      "names in the order of their ids, for a site map",
      after(`query page($last: ID!) { domains(first: 100, orderBy: id, orderDirection: asc, where: { id_gt: $last,
        createdAt_gt: "0", name_not: null, name_not_ends_with: ".addr.reverse" }) { id name } }`),
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
      "names in the order of their registrations",
      [
        {
          query: `{ domains(first: 500, orderBy: registration__registrationDate, orderDirection: asc,
            where: { registration_: { expiryDate_gt: 0 } }) { name } }`,
        },
      ],
      OTHER,
    ),
    measured(
      "all events in the order of their ids",
      ["domainEvents", "registrationEvents", "resolverEvents"].flatMap((list) =>
        ["", "12", "2", "9500000-7"].map((id) => events(list, id)),
      ),
      OTHER,
    ),
    measured(
      "all events of a type in the order of their ids",
      ["newOwners", "nameReneweds", "textChangeds", "fusesSets"].map((list) => events(list, "12")),
      OTHER,
    ),
  ];
}

/** Lists of all names in an order, and of those that begin with a text or have a part. */
function ofOrders({ parts }: Samples, now: number): Operation[] {
  const page = (list: string) => ({ query: `{ ${list} { ${domainFields} } }` });
  const byName = (filter: string) =>
    parts.map((text) => page(`domains(first: 20, orderBy: name, where: { ${filter}: "${text}" })`));
  return [
    measured(
      "the newest names",
      [page("domains(first: 50, orderBy: createdAt, orderDirection: desc)")],
      OTHER,
    ),
    measured(
      "the newest names of .eth",
      [
        page(
          `domains(first: 50, orderBy: createdAt, orderDirection: desc, where: { parent: "${ETH_NODE}", createdAt_lt: ${now} })`,
        ),
      ],
      OTHER,
    ),
    measured(
      "names that end soon",
      [page(`domains(first: 50, orderBy: expiryDate, where: { expiryDate_gt: ${now} })`)],
      OTHER,
    ),
    measured(
      "the newest registrations",
      [
        {
          query: `{ registrations(first: 100, orderBy: registrationDate, orderDirection: desc) {
            registrationDate expiryDate registrant { id } domain { name } } }`,
        },
      ],
      OTHER,
    ),
    measured("names that begin with a text, by name", byName("name_starts_with"), OTHER),
    measured("names with a part, by name", byName("name_contains"), OTHER),
  ];
}

/** What an answer of a block some minutes ago takes: it is shown that nothing in it changed since. */
function ofPastBlocks({ names: known, addresses, pastBlock }: Samples): Operation[] {
  const block = `block: { number: ${pastBlock} }`;
  return [
    measured(
      "a domain by its id at a past block",
      known.map(({ node }) => ({ query: `{ domain(id: "${node}", ${block}) { ${domainFields} } }` })),
      OTHER,
    ),
    measured(
      "names of an owner at a past block",
      addresses.map((id) => ({ query: `{ domains(where: { owner: "${id}" }, ${block}) { name } }` })),
      OTHER,
    ),
    measured(
      "transfers of a name up to a past block",
      known.map(({ node }) => ({
        query: `{ transfers(where: { domain: "${node}" }, ${block}) { blockNumber owner { id } } }`,
      })),
      OTHER,
    ),
  ];
}
