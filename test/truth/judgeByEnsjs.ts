import { getNamesForAddress, getSubgraphRegistrant, getSubnames } from "@ensdomains/ensjs/subgraph";
import type { Hex } from "viem";
import { normalize } from "viem/ens";
import { nodeOfShown } from "../chain/onChain.ts";
import { addressOf, ROOT_NODE } from "../devnet/acts.ts";
import type { LocalChain } from "../devnet/localChain.ts";
import { ensjsClient } from "../subgraph/ensjsClient.ts";
import { expectedDomain, nodesOfRegistries } from "../subgraph/oracle.ts";
import type { Stack } from "../support/stack.ts";
import { show, type Verdict } from "./oracle.ts";

type Domain = { id: Hex; name: string };
type Expected = Awaited<ReturnType<typeof expectedDomain>>;

const MOST = 1_000;
const roles = ["owner", "registrant", "wrappedOwner"] as const;
/** All that an address holds, expired and deleted names, too: the contracts are asked what is stored. */
const filter = {
  ...{ owner: true, registrant: true, wrappedOwner: true, resolvedAddress: false },
  ...{ allowExpired: true, allowDeleted: true, allowReverseRecord: true },
};

/** What ENS's own library reads from the subgraph's queries, against contract reads. */
export async function judgeByEnsjs({ url }: Pick<Stack, "url">, local: LocalChain): Promise<Verdict> {
  const differences: string[] = [];
  const compare = (what: string, is: readonly string[], chain: readonly string[]) => {
    for (const one of is.filter((item) => !chain.includes(item)))
      differences.push(`ensjs: ${what}: has ${show(one)}`);
    for (const one of chain.filter((item) => !is.includes(item)))
      differences.push(`ensjs: ${what}: lacks ${show(one)}`);
  };
  const client = ensjsClient(local, url);
  const domains = await listDomains(url);
  compare(
    "nodes",
    domains.map(({ id }) => id),
    [...(await nodesOfRegistries(local.chain))].sort(),
  );
  const named = domains.filter(({ id }) => id !== ROOT_NODE);
  for (const { id, name } of named) compare(`node of ${name}`, [id], [nodeOfShown(name)]);
  const expected = await Promise.all(named.map(({ name }) => expectedDomain(name, local.chain)));
  // A token that had ended when it was made: the wrapper tells its owner at no time.
  const wrapper = addressOf(local.chain, "wrapper").toLowerCase();
  const isUntold = ({ owner, wrappedOwner }: Expected) => owner.id === wrapper && wrappedOwner === null;
  const untold = new Set<string>(expected.filter(isUntold).map(({ id }) => id));
  for (const address of local.chain.accounts) {
    const found = await getNamesForAddress(client, { address, filter, pageSize: MOST });
    const told = found.filter(({ id }) => !untold.has(id));
    compare(`names of ${address}`, told.map(toRelation).sort(), relationsOf(expected, address));
  }
  // The library asks of names in their normal form alone.
  for (const { name } of named.filter(isNormal)) {
    const below = { name, allowDeleted: true, allowExpired: true, pageSize: MOST };
    const found = await getSubnames(client, below);
    const parent = nodeOfShown(name);
    compare(`subnames of ${name}`, idsOf(found), idsOf(expected.filter((one) => parentOf(one) === parent)));
  }
  for (const { name, registrant } of expected.filter(isNormal).filter(isEthSecondLevel)) {
    const is = await getSubgraphRegistrant(client, { name });
    compare(`registrant of ${name}`, is ? [is.toLowerCase()] : [], registrant ? [registrant.id] : []);
  }
  return { differences, counts: { domainsByEnsjs: named.length } };
}

function isNormal({ name }: { name: string }): boolean {
  try {
    return normalize(name) === name;
  } catch {
    return false;
  }
}

const isEthSecondLevel = ({ name }: Expected) => /^[^.]+\.eth$/.test(name);

const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id).sort();
const parentOf = ({ name }: Expected) => nodeOfShown(name.split(".").slice(1).join("."));

type Found = Awaited<ReturnType<typeof getNamesForAddress>>[number];

const toRelation = ({ id, relation }: Found): string =>
  [id, ...roles.map((role) => relation[role] === true)].join(" ");

/** The names that the contracts give an address, and by which role. */
function relationsOf(expected: readonly Expected[], address: string): string[] {
  const own = address.toLowerCase();
  const all = expected.map((one) => ({ one, held: roles.map((role) => one[role]?.id === own) }));
  return all
    .filter(({ held }) => held.includes(true))
    .map(({ one, held }) => [one.id, ...held].join(" "))
    .sort();
}

/** All entities of the index, by their ids. */
async function listDomains(url: string): Promise<Domain[]> {
  const found: Domain[] = [];
  for (let last = ""; ; ) {
    const query = `{ domains(first: ${MOST}, where: { id_gt: "${last}" }) { id name } }`;
    const reply = await fetch(`${url}/subgraph`, { method: "POST", body: JSON.stringify({ query }) });
    const { data } = (await reply.json()) as { data: { domains: Domain[] } };
    found.push(...data.domains);
    const next = data.domains.at(-1)?.id;
    if (next === undefined) return found;
    last = next;
  }
}
