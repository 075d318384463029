import { domain, ensv2Entry, ensv2Registry, holder, label, nameLink } from "ponder:schema";
import { type Address, type Hex, size } from "viem";
import { storageIdOfNumber } from "../ens/ensv2.ts";
import { registrarNode } from "../ens/managedNames.ts";
import { childNode, decodeDnsName, ETH_NODE, hashOfTokenId, MAX_NAME_BYTES } from "../ens/name.ts";

// Handlers find rows one after the other. Some keys are computed from the log, as the node of a name is: only our own code
// can know them ahead. With them Ponder's change `largeBlocks` asks for the rows of a hundred logs at once.

/** What is read here of a log that a handler will get. */
type Coming = {
  chain: { id: number };
  eventCallback: { name: string };
  event: { args?: unknown; log: { address: Address } };
};

type Args = Partial<{
  node: Hex;
  label: Hex;
  name: unknown;
  owner: Address;
  from: Address;
  to: Address;
  id: bigint | Hex;
  tokenId: bigint | Hex;
  ids: readonly bigint[];
  labelHash: Hex;
  newTokenId: bigint;
  resource: bigint;
}>;

type Tables = typeof domain | typeof nameLink | typeof holder | typeof label;
type Row = [table: Tables | typeof ensv2Entry | typeof ensv2Registry, key: Record<string, unknown>];

/** The nodes that a log is about; `parent` is what the registrar's names are right under. */
function nodesOf(contract: string, args: Args, parent: Hex): Hex[] {
  if (args.node !== undefined)
    return [args.label === undefined ? args.node : childNode(args.node, args.label)];
  const tokens = args.ids ?? [args.tokenId ?? args.id].filter((token) => token !== undefined);
  const hashes = tokens.map((token) => (typeof token === "bigint" ? hashOfTokenId(token) : token));
  return contract === "NameWrapper" ? hashes : hashes.map((hash) => childNode(parent, hash));
}

/** A label that a wrapped name tells may be that of a name of the registrar, which is looked for. */
function labelledNodesOf(contract: string, { name }: Args, parent: Hex): Hex[] {
  if (contract !== "NameWrapper" || typeof name !== "string" || size(name as Hex) > MAX_NAME_BYTES) return [];
  const labels = decodeDnsName(name as Hex)?.slice(0, -1) ?? [];
  return labels.map(({ labelhash }) => childNode(parent, labelhash));
}

/** Contracts whose logs change a name or its owner. */
const contracts = new Set(["Registry", "RegistryOld", "BaseRegistrar", "BasenamesRegistrar", "NameWrapper"]);

/** Registries of ENSv2: the entries of a log, and the name of the registrar whose label it tells. */
function entriesOf(
  contract: string,
  { chainId, registry }: { chainId: number; registry: Address },
  args: Args,
): Row[] {
  const { id, ids, tokenId = id, newTokenId = tokenId, resource, labelHash, owner } = args;
  const numbers = ids ?? [newTokenId ?? resource].filter((number) => typeof number === "bigint");
  const entries = numbers.map((number): Row => {
    return [ensv2Entry, { chainId, registry, storageId: storageIdOfNumber(number) }];
  });
  const registries: Row[] = [[ensv2Registry, { chainId, registry }]];
  if (labelHash === undefined) return [...entries, ...registries];
  // A reservation leaves the name as it is.
  const node = contract === "Ensv2EthRegistry" && owner && childNode(ETH_NODE, labelHash);
  const names: Row[] = node
    ? [
        [domain, { chainId, node }],
        [holder, { address: owner.toLowerCase(), chainId, node }],
      ]
    : [];
  return [...entries, ...registries, ...names, [label, { chainId, labelhash: labelHash }]];
}

/** Contracts of ENSv2 whose logs change entries. */
const registries = new Set(["Ensv2RootRegistry", "Ensv2EthRegistry", "Ensv2ProxyRegistry"]);

/** The rows that the handler of a log will look for, as far as they can be told from the log alone. */
function rowsAhead({ chain, eventCallback, event }: Coming): Row[] {
  const contract = eventCallback.name.split(":", 1)[0] ?? "";
  const chainId = chain.id;
  const args = (event.args ?? {}) as Args;
  if (registries.has(contract)) return entriesOf(contract, { chainId, registry: event.log.address }, args);
  if (!contracts.has(contract)) return [];
  const addresses = [args.owner, args.from, args.to].flatMap((address) => address?.toLowerCase() ?? []);
  const parent = registrarNode(chainId);
  const named = labelledNodesOf(contract, args, parent).map((node): Row => [domain, { chainId, node }]);
  const own = nodesOf(contract, args, parent).flatMap((node): Row[] => [
    [domain, { chainId, node }],
    ...(args.label === undefined ? [] : [[nameLink, { chainId, node }] satisfies Row]),
    ...addresses.map((address): Row => [holder, { address, chainId, node }]),
  ]);
  return [...named, ...own];
}

Object.assign(globalThis, { namedexRowsAhead: rowsAhead });
