import {
  byExpiry,
  byId,
  bytewise,
  type ClientQuery,
  expiryOf,
  isRegistered,
  type Known,
  nameOf,
  type Order,
  sorted,
} from "./clientNames.ts";

const ASCII = /^[ -~]*$/;

/** Lists over all names: site maps, names that end in a range, parts and beginnings of labels. */
export function ofLists(all: readonly Known[]): ClientQuery[] {
  const ordered = all.toSorted(byId);
  const from = ordered[Math.floor(ordered.length / 3)];
  const registered = sorted(all, byExpiry, isRegistered);
  const [first, last] = [registered[1], registered.at(-2)].map((one) => one?.registration?.expiryDate ?? "0");
  const some = ordered.filter((_, i) => i % 7 === 0).map(({ name }) => name);
  const part = all.find(({ label }) => label !== null && /^[a-z]{2}/.test(label))?.label?.slice(0, 2) ?? "a";
  const isReverse = ({ name }: Known) => name.endsWith(".addr.reverse");
  const beginning =
    all.find(({ address, name }) => address !== null && ASCII.test(name))?.name.slice(0, 1) ?? "a";
  // Unknown labels are null, and come last.
  const byLabel: Order = (one, other) =>
    Number(one.label === null) - Number(other.label === null) ||
    bytewise(one.label ?? "", other.label ?? "") ||
    byId(one, other);
  return [
    {
      query: `query page($last: ID!) { domains(first: 50, orderBy: id, orderDirection: asc, where: { id_gt: $last,
        createdAt_gt: "0", name_not: null, name_not_ends_with: ".addr.reverse" }) { id name } }`,
      variables: { last: from?.id },
      expected: {
        domains: sorted(all, byId, (one) => one.id > (from?.id ?? "") && !isReverse(one))
          .slice(0, 50)
          .map(({ id, name }) => ({ id, name })),
      },
    },
    {
      query: `query q($from: BigInt!, $to: Int!) { registrations(first: 500, orderBy: expiryDate, where: { expiryDate_gte: $from,
        expiryDate_lt: $to }) { expiryDate domain { name } } }`,
      variables: { from: first, to: Number(last) },
      expected: {
        registrations: registered
          .filter((one) => expiryOf(one) >= BigInt(first ?? 0) && expiryOf(one) < BigInt(last ?? 0))
          .slice(0, 500)
          .map((one) => ({ ...one.registration, domain: nameOf(one) })),
      },
    },
    {
      query: "query q($names: [String!]) { domains(first: 1000, where: { name_in: $names }) { name } }",
      variables: { names: some },
      expected: { domains: sorted(all, byId, ({ name }) => some.includes(name)).map(nameOf) },
    },
    {
      query:
        "query q($part: String) { domains(first: 1000, where: { labelName_contains_nocase: $part }) { name } }",
      variables: { part: part.toUpperCase() },
      expected: {
        domains: sorted(all, byId, ({ label }) => label?.toLowerCase().includes(part) === true).map(nameOf),
      },
    },
    {
      query: `query search($name: String!, $amount: Int!) { domains(first: $amount, orderBy: labelName, orderDirection: asc,
        where: { name_starts_with: $name, resolvedAddress_not: null }) { name resolver { addr { id } } } }`,
      variables: { name: beginning, amount: 10 },
      expected: {
        domains: sorted(all, byLabel, ({ name, address }) => name.startsWith(beginning) && address !== null)
          .slice(0, 10)
          .map(({ name, address }) => ({ name, resolver: { addr: { id: address } } })),
      },
    },
    {
      query: `{ domains(first: 500, orderBy: registration__registrationDate, orderDirection: asc,
        where: { registration_: { expiryDate_gt: 0 } }) { name } }`,
      variables: {},
      expected: {
        domains: sorted(
          all,
          (one, other) => Number(one.registeredAt - other.registeredAt) || byId(one, other),
          isRegistered,
        )
          .slice(0, 500)
          .map(nameOf),
      },
    },
  ];
}
