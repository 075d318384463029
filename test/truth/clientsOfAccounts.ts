import {
  byDate,
  byExpiry,
  byHash,
  byId,
  type ClientQuery,
  idsOf,
  isRegistered,
  nameOf,
  type Of,
  type Order,
  reversed,
  sorted,
} from "./clientNames.ts";

/** Lists by account: of wallets, of voting and tax programs, of the documentation's examples. */
export function ofAccount(account: string, { all, logs }: Of): ClientQuery[] {
  const held = (order: Order) =>
    sorted(all, order, (one) => isRegistered(one) && one.registrant?.id === account);
  const owned = sorted(all, byId, ({ owner }) => owner.id === account);
  const wrapped = sorted(all, byId, ({ wrappedOwner }) => wrappedOwner?.id === account);
  const hashes = all.flatMap(({ hash }, i) => (i % 2 === 0 ? [hash] : []));
  const nodes = new Set(owned.map(({ id }) => id));
  const variables = { id: account };
  const since = all.toSorted(byDate)[Math.floor(all.length / 2)]?.registeredAt ?? 0n;
  const transfers = logs.domains.filter(({ type, node }) => type === "Transfer" && nodes.has(node));
  const isThere = held(byHash).length > 0 || owned.length > 0 || wrapped.length > 0;
  const ofIts: ClientQuery[] = [
    {
      query: `query names($id: ID!, $expiry: Int) { account(id: $id) { registrations(first: 1000, skip: 0, orderBy: expiryDate,
        orderDirection: asc, where: { expiryDate_gt: $expiry }) { expiryDate domain { name } }
        domains(first: 1000, where: { createdAt_gt: 0 }) { name } wrappedDomains(first: 1000) { id domain { name } } } }`,
      variables: { ...variables, expiry: 0 },
      expected: {
        account: {
          registrations: held(byExpiry).map((one) => ({ ...one.registration, domain: nameOf(one) })),
          domains: owned.map(nameOf),
          wrappedDomains: wrapped.map((one) => ({ id: one.id, domain: nameOf(one) })),
        },
      },
    },
    {
      query: `query lookup($id: String!, $hashes: [Bytes]) { account(id: $id) { domains(first: 1000, where: {
        labelhash_in: $hashes, labelName_not: null }) { name } wrappedDomains(first: 1000) { id name } } }`,
      variables: { ...variables, hashes },
      expected: {
        account: {
          domains: owned.filter(({ hash, label }) => label !== null && hashes.includes(hash)).map(nameOf),
          wrappedDomains: wrapped.map(({ id, name }) => ({
            id,
            name: /\[[0-9a-f]{64}\]/.test(name) ? null : name,
          })),
        },
      },
    },
    {
      query: `query own($id: ID!, $since: BigInt) { account(id: $id) { registrations(first: 99, orderBy: registrationDate,
        orderDirection: desc, where: { registrationDate_gt: $since }) { domain { name } } } }`,
      variables: { ...variables, since: String(since) },
      expected: {
        account: {
          registrations: held(reversed(byDate))
            .filter(({ registeredAt }) => registeredAt > since)
            .slice(0, 99)
            .map((one) => ({ domain: nameOf(one) })),
        },
      },
    },
    {
      query:
        "query q($id: ID!) { account(id: $id) { registrations(first: 10, orderBy: expiryDate, orderDirection: desc) { expiryDate } } }",
      variables,
      expected: {
        account: {
          registrations: held(reversed(byExpiry))
            .slice(0, 10)
            .map(({ registration }) => registration),
        },
      },
    },
  ];
  return [
    ...(isThere ? ofIts : []),
    {
      query: "query q($id: String) { domains(first: 1000, where: { owner: $id }) { name } }",
      variables,
      expected: { domains: owned.map(nameOf) },
    },
    {
      query: "query q($id: String) { domains(first: 1000, where: { resolvedAddress_in: [$id] }) { name } }",
      variables,
      expected: { domains: sorted(all, byId, ({ address }) => address === account).map(nameOf) },
    },
    {
      query:
        "query q($id: String) { transfers(first: 1000, where: { domain_: { owner: $id } }) { id domain { id } } }",
      variables,
      expected: {
        transfers: idsOf(transfers)
          .slice(0, 1_000)
          .map(({ id, node }) => ({ id, domain: { id: node } })),
      },
    },
  ];
}
