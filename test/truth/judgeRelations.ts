import type { Hex } from "viem";
import type { Log } from "./chainLogs.ts";
import { everyOne, type Judge } from "./judge.ts";
import { controls, lastNamedIn } from "./judgeHolders.ts";
import type { Row } from "./oracle.ts";

/** What is compared for each list: its relation, and those that it stands for. */
const asked: readonly [addressType: string, relations: readonly string[]][] = [
  ...["registry_owner", "registrar_owner", "wrapper_owner", "manager", "resolver", "former_owner"].map(
    (relation) => [relation, [relation]] as [string, string[]],
  ),
  ["any", ["effective_owner", "manager"]],
  ["any,former_owner,resolver", ["effective_owner", "manager", "former_owner", "resolver"]],
];

/** For every address that is an owner or a resolver in some layer: its names by each relation, and the content of each item. */
export async function judgeRelations(judge: Judge): Promise<void> {
  const named = lastNamedIn(judge);
  const byNode = [...judge.present].filter(([, { isCounted }]) => isCounted).map(([node]) => node);
  const layers = byNode.flatMap((node) => Object.values(ownersIn(judge, node)));
  const addresses = [...new Set([...layers, ...named.keys()])].filter((one) => one !== null) as string[];
  await everyOne(addresses, async (address) => {
    const relations = new Map(
      byNode.map((node) => [node, relationsOf(judge, node, { address, named: named.get(address) })]),
    );
    for (const [addressType, wanted] of asked)
      await judgeList(judge, { address, addressType, wanted, relations });
  });
}

/** The account in each layer of a name, by the logs, and its resolver. */
function ownersIn({ ledgers }: Judge, node: Hex) {
  const ledger = ledgers.get(node);
  const { registry = null, registrar = null, wrapper = null } = ledger?.owners.at(-1)?.state ?? {};
  return { registry, registrar, wrapper, resolver: ledger?.resolvers.at(-1)?.state ?? null };
}

type Asked = { address: string; named: Map<Hex, Log> | undefined };

function relationsOf(judge: Judge, node: Hex, { address, named }: Asked): string[] {
  const { owner = null, isWrapped = false } = judge.present.get(node) ?? {};
  const { registry, registrar, wrapper, resolver } = ownersIn(judge, node);
  const is = {
    effective_owner: owner === address,
    registry_owner: registry === address,
    registrar_owner: registrar === address,
    wrapper_owner: isWrapped && wrapper === address,
    resolver: resolver === address,
    manager: (isWrapped ? wrapper : registry) === address,
    former_owner: named?.has(node) === true && !controls(judge, node, address),
  };
  return Object.entries(is).flatMap(([relation, holds]) => (holds ? [relation] : []));
}

type List = {
  address: string;
  addressType: string;
  wanted: readonly string[];
  relations: ReadonlyMap<Hex, string[]>;
};

async function judgeList(
  { get, same }: Judge,
  { address, addressType, wanted, relations }: List,
): Promise<void> {
  const expected = [...relations].filter(([, all]) => all.some((one) => wanted.includes(one)));
  const query = `address_type=${addressType}`;
  const { count } = await get(`/address/${address}/domain-count?${query}`);
  same(`names of ${address} by ${addressType}, counted`, count, expected.length);
  const listed = await get(`/address/${address}/domains?${query}&include_expired=true&page_size=200`);
  const items = ((listed.results ?? []) as Row[]).map((item) => [item.namehash, item.relations] as const);
  same(`names of ${address} by ${addressType}`, listed.total, expected.length);
  if (expected.length > 200) return;
  same(`relations of ${address}, by ${addressType}`, inOrder(items), inOrder(expected));
}

const inOrder = (pairs: readonly (readonly [unknown, unknown])[]) =>
  pairs.map(([node, relations]) => `${node} ${relations}`).sort();
