import {
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  stringToBytes,
  zeroAddress,
  zeroHash,
} from "viem";
import type { ChainDeployment } from "../../abis/deployments.ts";
import type { Position } from "./names.ts";
import type { Row } from "./oracle.ts";

/* Everything that accounts may be able to do with a name, as calls to try. */

const abi = parseAbi([
  "function setOwner(bytes32 node, address owner)",
  "function setResolver(bytes32 node, address resolver)",
  "function setSubnodeOwner(bytes32 node, bytes32 label, address owner)",
  "function transferFrom(address from, address to, uint256 id)",
  "function reclaim(uint256 id, address owner)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function unwrapETH2LD(bytes32 labelhash, address registrant, address controller)",
  "function unwrap(bytes32 parentNode, bytes32 labelhash, address controller)",
  "function setFuses(bytes32 node, uint16 fuses)",
  "function approve(address to, uint256 id)",
  "function canExtendSubnames(bytes32 node, address addr) view returns (bool)",
  "function extendExpiry(bytes32 parentNode, bytes32 labelhash, uint64 expiry)",
  "function setChildFuses(bytes32 parentNode, bytes32 labelhash, uint32 fuses, uint64 expiry)",
  "function setText(bytes32 node, string key, string value)",
]);

const wrapperSubnode = parseAbi([
  "function setSubnodeOwner(bytes32 parentNode, string label, address owner, uint32 fuses, uint64 expiry)",
]);

/** Receives what is given away in a call; it has no code and owns nothing. */
export const RECEIVER = "0x00000000000000000000000000000000dead0001";
const PROBE = "permission-probe";
const CANNOT_UNWRAP = 1;
/** A fuse of the parent without a meaning, which no history burns: burning a burnt one would change nothing and be allowed. */
const UNNAMED_FUSE = 1 << 30;
const LATEST = 2n ** 64n - 1n;

/** A possible power of an account over a name: `<layer> <action>`, with `parent` if the name above gives it. */
export type Attempt = { power: string; to: Hex; data: (account: Hex) => Hex };

/** Contracts of a chain that decide who may change its names. */
export type NameContracts = Record<"registry" | "registryOld" | "registrar" | "wrapper", Hex | undefined> & {
  /** The node whose names the registrar has. */
  managed: Hex;
  /** Resolvers with a rule for who may write. */
  resolvers: readonly Hex[];
};

/** Finds them in a deployment. */
export function nameContractsOf({ contracts }: ChainDeployment, managed: Hex): NameContracts {
  const find = (role: string, ...generations: number[]) => {
    const entry = contracts.find((one) => one.role === role && generations.includes(one.generation));
    return entry && lower(entry.address);
  };
  const resolvers = contracts.filter(
    ({ role, generation, ...entry }) => role === "resolver" && entry.static === true && generation >= 3,
  );
  return {
    registry: find("registry", 2),
    registryOld: find("registry", 1),
    registrar: find("registrar", 2, 3),
    wrapper: find("wrapper", 1),
    managed,
    resolvers: resolvers.map(({ address }) => lower(address)),
  };
}

/** A name by its logs. */
export type LoggedName = {
  node: Hex;
  /** Its name in a request: each label by its hash. */
  path: string;
  position: Position | null;
  /** The text of the first label, if a log has it. */
  label: string | undefined;
  resolver: Hex | null;
};

export const lower = (value: unknown): Hex => String(value).toLowerCase() as Hex;

/** Everything that could be done with a name through these contracts. */
export function attemptsOn(
  name: LoggedName,
  { answer, contracts }: { answer: readonly Row[]; contracts: NameContracts },
): Attempt[] {
  const { node, position } = name;
  const { wrapper, managed } = contracts;
  const holderIn = (layer: string) =>
    lower(answer.find((row) => row.kind === "owner" && row.layer === layer)?.address ?? zeroAddress);
  const call = (power: string, to: Hex | undefined, data: Attempt["data"]): Attempt[] =>
    to === undefined ? [] : [{ power, to: to.toLowerCase() as Hex, data }];
  const id = BigInt(node);
  const resolver = writtenAt(name, { answer, contracts });
  return [
    ...(["registry", "registry_old"] as const).flatMap((layer) =>
      inRegistry(layer, layer === "registry" ? contracts.registry : contracts.registryOld, node),
    ),
    ...(position?.parent === managed
      ? inRegistrar(contracts.registrar, position, holderIn("registrar"))
      : []),
    ...(wrapper === undefined
      ? []
      : inWrapper(wrapper, { node, position, managed, holder: holderIn("wrapper") })),
    ...call("wrapper extend_subnames", wrapper, (account) =>
      encodeFunctionData({ abi, functionName: "canExtendSubnames", args: [node, account] }),
    ),
    ...call("wrapper approve", wrapper, () =>
      encodeFunctionData({ abi, functionName: "approve", args: [RECEIVER, id] }),
    ),
    ...call("resolver set_records", resolver, () =>
      encodeFunctionData({ abi, functionName: "setText", args: [node, "k", "v"] }),
    ),
    ...(position === null ? [] : ofParent(name, position, contracts)),
  ];
}

/** The name's resolver, if the answer lists who may write there. */
function writtenAt(
  { resolver }: LoggedName,
  { answer, contracts }: { answer: readonly Row[]; contracts: NameContracts },
): Hex | undefined {
  if (resolver !== null && contracts.resolvers.includes(resolver)) return resolver;
  const row = answer.find(({ layer }) => layer === "resolver");
  return row && lower(row.contract_address);
}

function inRegistry(layer: string, to: Hex | undefined, node: Hex): Attempt[] {
  if (to === undefined) return [];
  const labelhash = keccak256(stringToBytes(PROBE));
  const encode = {
    set_registry_owner: encodeFunctionData({ abi, functionName: "setOwner", args: [node, RECEIVER] }),
    set_resolver: encodeFunctionData({ abi, functionName: "setResolver", args: [node, RECEIVER] }),
    create_subnames: encodeFunctionData({
      abi,
      functionName: "setSubnodeOwner",
      args: [node, labelhash, RECEIVER],
    }),
  };
  return Object.entries(encode).map(([action, data]) => ({
    power: `${layer} ${action}`,
    to: to.toLowerCase() as Hex,
    data: () => data,
  }));
}

function inRegistrar(to: Hex | undefined, { labelhash }: Position, holder: Hex): Attempt[] {
  if (to === undefined) return [];
  const id = BigInt(labelhash);
  const at = to.toLowerCase() as Hex;
  const transfer = encodeFunctionData({ abi, functionName: "transferFrom", args: [holder, RECEIVER, id] });
  const reclaim = encodeFunctionData({ abi, functionName: "reclaim", args: [id, RECEIVER] });
  return [
    { power: "registrar transfer_token", to: at, data: () => transfer },
    { power: "registrar set_registry_owner", to: at, data: () => reclaim },
  ];
}

type Wrapped = { node: Hex; position: Position | null; managed: Hex; holder: Hex };

function inWrapper(wrapper: Hex, { node, position, managed, holder }: Wrapped): Attempt[] {
  const to = wrapper.toLowerCase() as Hex;
  const id = BigInt(node);
  const data: Record<string, Hex> = {
    transfer_token: encodeFunctionData({
      abi,
      functionName: "safeTransferFrom",
      args: [holder, RECEIVER, id, 1n, "0x"],
    }),
    set_resolver: encodeFunctionData({ abi, functionName: "setResolver", args: [node, RECEIVER] }),
    create_subnames: encodeFunctionData({
      abi: wrapperSubnode,
      functionName: "setSubnodeOwner",
      args: [node, PROBE, RECEIVER, 0, 0n],
    }),
    burn_fuses: encodeFunctionData({ abi, functionName: "setFuses", args: [node, CANNOT_UNWRAP] }),
    ...(position && {
      unwrap:
        position.parent === managed
          ? encodeFunctionData({
              abi,
              functionName: "unwrapETH2LD",
              args: [position.labelhash, RECEIVER, RECEIVER],
            })
          : encodeFunctionData({
              abi,
              functionName: "unwrap",
              args: [position.parent, position.labelhash, RECEIVER],
            }),
      extend_expiry: encodeFunctionData({
        abi,
        functionName: "extendExpiry",
        args: [position.parent, position.labelhash, LATEST],
      }),
    }),
  };
  return Object.entries(data).map(([action, one]) => ({ power: `wrapper ${action}`, to, data: () => one }));
}

function ofParent(
  { label }: LoggedName,
  { parent, labelhash }: Position,
  contracts: NameContracts,
): Attempt[] {
  const isText = label !== undefined && label !== "" && keccak256(stringToBytes(label)) === labelhash;
  const take = encodeFunctionData({
    abi,
    functionName: "setSubnodeOwner",
    args: [parent, labelhash, RECEIVER],
  });
  const at = (power: string, to: Hex | undefined, data: Hex): Attempt[] =>
    to === undefined ? [] : [{ power, to: to.toLowerCase() as Hex, data: () => data }];
  return [
    ...at("parent-registry replace", contracts.registry, take),
    ...at("parent-registry_old replace", contracts.registryOld, take),
    ...(parent === zeroHash || parent === contracts.managed
      ? []
      : [
          ...at(
            "parent-wrapper extend_expiry",
            contracts.wrapper,
            encodeFunctionData({ abi, functionName: "extendExpiry", args: [parent, labelhash, LATEST] }),
          ),
          ...at(
            "parent-wrapper burn_fuses",
            contracts.wrapper,
            encodeFunctionData({
              abi,
              functionName: "setChildFuses",
              args: [parent, labelhash, UNNAMED_FUSE, 0n],
            }),
          ),
          ...(isText && stringToBytes(label).length <= 255
            ? at(
                "parent-wrapper replace",
                contracts.wrapper,
                encodeFunctionData({
                  abi: wrapperSubnode,
                  functionName: "setSubnodeOwner",
                  args: [parent, label, RECEIVER, 0, 0n],
                }),
              )
            : []),
        ]),
  ];
}
