import { type Address, getAddress, type Hex, keccak256, toHex, zeroAddress } from "viem";
import { deploymentShape, type Ensv2Deployment } from "../../abis/deployments.ts";
import { ensv2RegistryAbi } from "../../abis/ensv2.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { type Emission, logOf } from "./emittedLogs.ts";

/*
 * Logs of ENSv2 contracts in the order in which these make them, including logs of rare calls: emitters at the addresses of a
 * deployment make them.
 */

const contract = (digits: string): Address => getAddress(`0x${digits.repeat(20)}`);

export const ROOT = contract("e0");
export const ETH = contract("e1");
export const FACTORY = contract("e2");
export const REGISTRAR = contract("e3");
export const RENEWER = contract("e4");
export const LABEL_STORE = contract("e5");
const GRAVEYARD = contract("e6");
const MIGRATION = contract("e7");
const BATCH = contract("e8");
export const UNIVERSAL = contract("e9");
export const V1_RESOLVER = contract("ea");
export const REGISTRY_CODE = contract("c0");
const WRAPPER_CODE = contract("c1");
export const RESOLVER_CODE = contract("c2");
/** Code that no deployment lists. */
export const FOREIGN_CODE = contract("cf");
export const USDC = contract("dc");

export const [ALICE, BOB, CAROL] = [contract("a1"), contract("b0"), contract("c4")];

/** The local chain's deployment with ENSv2 at these addresses. */
export const withEnsv2 = ({ deployment }: LocalChain, layout: Ensv2Deployment["layout"] = "2026-05") =>
  deploymentShape.parse({
    ...deployment,
    ensv2: {
      startBlock: 0,
      layout,
      rootRegistry: ROOT,
      ethRegistry: ETH,
      registrars: [REGISTRAR],
      renewersV1: [RENEWER],
      batchSenders: [BATCH],
      migrationControllers: [MIGRATION],
      graveyards: [GRAVEYARD],
      factories: [FACTORY],
      labelStores: [LABEL_STORE],
      implementations: { registry: [REGISTRY_CODE], wrapper: [WRAPPER_CODE], resolver: [RESOLVER_CODE] },
      ensV1Resolvers: [V1_RESOLVER],
      universalResolver: { top: UNIVERSAL },
      paymentTokens: [{ address: USDC, symbol: "USDC", decimals: 6 }],
    },
  });

export const hashOf = (label: string): Hex => keccak256(toHex(label));

/** The number of an entry with a counter: its token, or the key of its roles. */
export const numberOf = (label: string, counter = 0): bigint =>
  ((BigInt(hashOf(label)) >> 32n) << 32n) | BigInt(counter);

/** The key of an entry. */
export const storageIdOf = (label: string): Hex => `0x${numberOf(label).toString(16).padStart(64, "0")}`;

type RegistryEvent = Extract<(typeof ensv2RegistryAbi)[number], { type: "event" }>;

const signatures = new Map<string, string>(
  (ensv2RegistryAbi as readonly RegistryEvent[]).map(({ name, inputs }) => [
    name,
    `event ${name}(${inputs.map((one) => `${one.type}${"indexed" in one && one.indexed ? " indexed" : ""} ${one.name}`).join(", ")})`,
  ]),
);

/** A log of a registry, by the event's name. */
export function registryLog(
  by: Address,
  name: RegistryEvent["name"],
  args: Record<string, unknown> = {},
): Emission {
  const signature = signatures.get(name);
  if (signature === undefined) throw new Error(`registries log no ${name}`);
  return { by, log: logOf(signature, args) };
}

type Start = { label: string; expiry?: bigint; sender?: Address; token?: number; resource?: number };
type Registration = Start & {
  owner: Address;
  subregistry?: Address;
  resolver?: Address;
  /** Logs of the receiver, to which the token is given within the registration. */
  hook?: Emission[];
};

/** An expiry later than every test. */
export const LATER = 1_900_000_000n;

/** The shortest log of a registration: the entry, without its token and roles. */
export const registeredEntry = (
  by: Address,
  { label, owner, expiry = LATER, sender = REGISTRAR, token }: Pick<Registration, "owner" | keyof Start>,
) =>
  registryLog(by, "LabelRegistered", {
    tokenId: numberOf(label, token),
    labelHash: hashOf(label),
    label,
    owner,
    expiry,
    sender,
  });

/** The logs of one `register`. Source: PermissionedRegistry `_register`. */
export function register(by: Address, registration: Registration): Emission[] {
  const { label, owner, subregistry, resolver, sender = REGISTRAR, hook = [] } = registration;
  const tokenId = numberOf(label, registration.token);
  const resource = numberOf(label, registration.resource);
  return [
    registeredEntry(by, registration),
    move(by, { from: zeroAddress, to: owner, id: tokenId }),
    ...hook,
    registryLog(by, "TokenResource", { tokenId, resource }),
    roles(by, { resource, account: owner, roles: 0x1100000n }),
    ...(subregistry ? [link(by, { label, subregistry, sender, token: registration.token })] : []),
    ...(resolver ? [point(by, { label, resolver, sender, token: registration.token })] : []),
  ];
}

/** The logs of one reservation. */
export function reserve(by: Address, { resolver, ...start }: Start & { resolver?: Address }): Emission[] {
  const { label, expiry = LATER, sender = BATCH, token } = start;
  const tokenId = numberOf(label, token);
  return [
    registryLog(by, "LabelReserved", { tokenId, labelHash: hashOf(label), label, expiry, sender }),
    ...(resolver ? [point(by, { label, resolver, sender, token })] : []),
  ];
}

type Of = { label: string; token?: number | undefined; sender?: Address };

export const link = (
  by: Address,
  { label, token, subregistry, sender = ALICE }: Of & { subregistry: Address },
) => registryLog(by, "SubregistryUpdated", { tokenId: numberOf(label, token), subregistry, sender });

export const point = (by: Address, { label, token, resolver, sender = ALICE }: Of & { resolver: Address }) =>
  registryLog(by, "ResolverUpdated", { tokenId: numberOf(label, token), resolver, sender });

export const unregister = (by: Address, { label, token, sender = ALICE }: Of) =>
  registryLog(by, "LabelUnregistered", { tokenId: numberOf(label, token), sender });

type Move = { from: Address; to: Address; id: bigint; value?: bigint };

export const move = (by: Address, { from, to, id, value = 1n }: Move) =>
  registryLog(by, "TransferSingle", { operator: from, from, to, id, value });

const roles = (
  by: Address,
  { resource, account, roles }: { resource: bigint; account: Address; roles: bigint },
) => registryLog(by, "EACRolesChanged", { resource, account, oldRoleBitmap: 0n, newRoleBitmap: roles });

const proxyDeployed =
  "event ProxyDeployed(address indexed sender, address indexed proxyAddress, uint256 salt, address implementation)";

/** The logs of a proxy's deployment, the factory's last. Source: ensdomains/verifiable-factory. */
export function deployProxy(
  proxy: Address,
  { code = REGISTRY_CODE, sender = ALICE, inside = [] as Emission[] } = {},
): Emission[] {
  const args = { sender, proxyAddress: proxy, salt: 1n, implementation: code };
  return [
    registryLog(proxy, "Upgraded", { implementation: code }),
    ...(code === RESOLVER_CODE ? [] : [registryLog(proxy, "RegistryCreated")]),
    ...inside,
    { by: FACTORY, log: logOf(proxyDeployed, args) },
  ];
}

/** What the root registry and the ETH registry log at first. */
export const foundations = (): Emission[] => [
  registryLog(ROOT, "RegistryCreated"),
  registryLog(ETH, "RegistryCreated"),
  ...register(ROOT, { label: "eth", owner: CAROL, subregistry: ETH, expiry: 2n ** 64n - 1n, sender: CAROL }),
  registryLog(ETH, "ParentUpdated", { parent: ROOT, label: "eth", sender: CAROL }),
];
