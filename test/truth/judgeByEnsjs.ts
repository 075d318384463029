import { getNamesForAddress, getSubgraphRegistrant, getSubnames } from "@ensdomains/ensjs/subgraph";
import { normalize } from "viem/ens";
import { ROOT_NODE } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { nodeOfShown } from "../chain/onChain.ts";
import { ensjsClient } from "../subgraph/ensjsClient.ts";
import { nodesOfRegistries } from "../subgraph/oracle.ts";
import type { Stack } from "../support/stack.ts";
import { show, type Verdict } from "./oracle.ts";
import { type Expected, parentOf, type SubgraphNames } from "./subgraphNames.ts";

const MOST = 1_000;
const roles = ["owner", "registrant", "wrappedOwner"] as const;
/** Everything that an address holds, including expired and deleted names: the contracts are asked for what is stored. */
const filter = {
  owner: true,
  registrant: true,
  wrappedOwner: true,
  resolvedAddress: false,
  allowExpired: true,
  allowDeleted: true,
  allowReverseRecord: true,
};

/** Answers of ENS's own library from the subgraph's queries, compared with contract reads. */
export async function judgeByEnsjs(
  { url }: Pick<Stack, "url">,
  local: LocalChain,
  names: SubgraphNames,
): Promise<Verdict> {
  const differences: string[] = [];
  const compare = (what: string, is: readonly string[], chain: readonly string[]) => {
    for (const one of is.filter((item) => !chain.includes(item)))
      differences.push(`ensjs: ${what}: has ${show(one)}`);
    for (const one of chain.filter((item) => !is.includes(item)))
      differences.push(`ensjs: ${what}: lacks ${show(one)}`);
  };
  const client = ensjsClient(local, url);
  const { listed, expected } = names;
  compare(
    "nodes",
    listed.map(({ id }) => id),
    [...(await nodesOfRegistries(local.chain))].sort(),
  );
  const named = listed.filter(({ id }) => id !== ROOT_NODE);
  for (const { id, name } of named) compare(`node of ${name}`, [id], [nodeOfShown(name)]);
  for (const address of local.chain.accounts) {
    const found = await getNamesForAddress(client, { address, filter, pageSize: MOST });
    compare(`names of ${address}`, foundRelations(found), relationsOf(expected, address));
  }
  // The library only asks about names in their normal form.
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

type Found = Awaited<ReturnType<typeof getNamesForAddress>>[number];

/** The role by which each was found. */
const foundRelations = (found: readonly Found[]): string[] =>
  toRelations(found.map(({ id, relation }) => ({ id, held: roles.map((role) => relation[role] === true) })));

const toRelations = (all: readonly { id: string; held: readonly boolean[] }[]): string[] =>
  all
    .filter(({ held }) => held.includes(true))
    .map(({ id, held }) => [id, ...held].join(" "))
    .sort();

/** The names that belong to an address by the contracts, with the role. */
function relationsOf(expected: readonly Expected[], address: string): string[] {
  const own = address.toLowerCase();
  return toRelations(
    expected.map((one) => ({ id: one.id, held: roles.map((role) => one[role]?.id === own) })),
  );
}
