import type { Hex } from "viem";
import { byId, type ClientQuery, idsOf, isRegistered, type Known, type Of, sorted } from "./clientNames.ts";
import type { SubgraphEvent } from "./subgraphLogs.ts";
import { parentOf } from "./subgraphNames.ts";

const PAGE = 100;

/** Queries about one name: its token's metadata, its texts, its last purchase, its history and the names below it. */
export function ofName(one: Known, { all, logs }: Of): ClientQuery[] {
  const { id, name, hash, label } = one;
  const parent = parentOf(one);
  const isEth = isRegistered(one);
  const own = (events: readonly SubgraphEvent[], of: Hex) => idsOf(events.filter(({ node }) => node === of));
  const shown = (events: readonly SubgraphEvent[]) =>
    events.slice(0, PAGE).map((event) => ({ id: event.id, __typename: event.type }));
  const [resolver] = one.resolver?.id.split("-") ?? [];
  const registered = own(logs.registrations, hash);
  const records = logs.records.get(resolver ?? "") ?? [];
  const texts = [...logs.records.values()]
    .flatMap((events) => own(events, id))
    .filter(({ type }) => type === "TextChanged");
  const last = logs.registrations
    .filter(({ type, node }) => type === "NameRegistered" && node === hash)
    .at(-1);
  const below = sorted(all, byId, (child) => parentOf(child) === id);
  const same = sorted(all, byId, (other) => other.hash === hash);
  return [
    {
      query: `query token($tokenId: String, $parent: String, $labelhash: String) { domain(id: $tokenId) { name labelName }
        domains(where: { parent: $parent, labelhash: $labelhash }) { name owner { id } registrant { id } }
        registrations(orderBy: registrationDate, orderDirection: desc, where: { id: $labelhash }) { registrationDate expiryDate }
        decoded: domains(first: 1, where: { labelhash: $labelhash, labelName_not: null }) { labelName }
        byId: domains(where: { id: $tokenId }) { id resolver { id } } }`,
      variables: { tokenId: id, parent, labelhash: hash },
      expected: {
        domain: { name, labelName: label },
        domains: [{ name, owner: one.owner, registrant: one.registrant }],
        registrations: registrationsOf(all.find((other) => other.hash === hash && isRegistered(other))),
        decoded: same
          .filter((other) => other.label !== null)
          .slice(0, 1)
          .map((other) => ({ labelName: other.label })),
        byId: [{ id, resolver: one.resolver && { id: one.resolver.id } }],
      },
    },
    {
      query: `query q($name: String) { registrations(where: { domain_: { name: $name } }) { expiryDate }
        domains(where: { name: $name }) { id owner { id } } textChangeds(first: 500, where: { resolver_: { domain_: { name: $name } } }) { id } }`,
      variables: { name },
      expected: {
        registrations: isEth ? [one.registration] : [],
        domains: [{ id, owner: one.owner }],
        textChangeds: idsOf(texts)
          .slice(0, 500)
          .map((event) => ({ id: event.id })),
      },
    },
    {
      query: `query below($id: String, $skip: Int) { domains(where: { id: $id }) { subdomains(first: 1000, skip: $skip) { name owner { id } } } }`,
      variables: { id, skip: null },
      expected: {
        domains: [{ subdomains: below.map((child) => ({ name: child.name, owner: child.owner })) }],
      },
    },
    {
      query: `query history($id: ID!) { domain(id: $id) { events { id __typename } registration { events { id __typename } }
        resolver { events { id __typename } } } }`,
      variables: { id },
      expected: {
        domain: {
          events: shown(own(logs.domains, id)),
          registration: isEth ? { events: shown(registered) } : null,
          resolver: one.resolver && { events: shown(own(records, id)) },
        },
      },
    },
    {
      query: "query q($id: ID!) { wrappedDomain(id: $id) { expiryDate fuses owner { id } } }",
      variables: { id },
      expected: {
        wrappedDomain: one.wrappedDomain && {
          expiryDate: one.wrappedDomain.expiryDate,
          fuses: one.wrappedDomain.fuses,
          owner: one.wrappedDomain.owner,
        },
      },
    },
    ...(isEth && last
      ? [
          {
            query: `query registered($id: String!) { nameRegistereds(first: 1, orderBy: blockNumber, orderDirection: desc,
              where: { registration: $id }) { transactionID } }`,
            variables: { id: hash },
            expected: { nameRegistereds: [{ transactionID: last.log.transactionHash }] },
          },
        ]
      : []),
  ];
}

const registrationsOf = (one: Known | undefined) =>
  one ? [{ registrationDate: String(one.registeredAt), expiryDate: one.registration?.expiryDate }] : [];
