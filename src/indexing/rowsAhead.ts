import { domain, holder, nameLink } from "ponder:schema";
import { type Address, type Hex, size } from "viem";
import { registrarNode } from "../ens/managedNames.ts";
import { childNode, decodeDnsName, hashOfTokenId, MAX_NAME_BYTES } from "../ens/name.ts";

// Handlers find rows one after the other. Where a key is computed from the log, as the node of a name is, nobody but us
// can know it ahead: Ponder's change `largeBlocks` asks for these rows of a hundred logs at once.

/** What is read here of a log that a handler will get. */
type Coming = { chain: { id: number }; eventCallback: { name: string }; event: { args?: unknown } };

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
}>;

type Row = [table: typeof domain | typeof nameLink | typeof holder, key: Record<string, unknown>];

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

/** The rows that the handler of a log will look for, as far as they can be told from the log alone. */
function rowsAhead({ chain, eventCallback, event }: Coming): Row[] {
  const contract = eventCallback.name.split(":", 1)[0] ?? "";
  if (!contracts.has(contract)) return [];
  const chainId = chain.id;
  const args = (event.args ?? {}) as Args;
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
