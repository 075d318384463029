import { type Address, getAddress, isAddress } from "viem";
import { z } from "zod";
import { mainnet } from "./deployments/mainnet.ts";
import { sepolia } from "./deployments/sepolia.ts";
import { managedNameOf, managedNames } from "./layer2/managedNames.ts";
import type { PriceFeed } from "./priceFeed.ts";

/** What each contract of a deployment is for. */
export const roles = [
  "registry",
  "registrar",
  "controller",
  "renewal-referrer",
  "wrapper",
  "resolver",
  "reverse-registrar",
  "reverse-resolver",
  "default-reverse-registrar",
  "l2-reverse-registrar",
  "agent-adapter",
  "agent-registry",
  "dns-token",
  "price-feed",
  "dns-registrar",
  "subdomain-registrar",
  "short-name-claims",
] as const;

export type Role = (typeof roles)[number];

/** The generations of each role that Namedex knows; docs/deployments.md says what each is. */
export const generations: Record<Role, readonly number[]> = {
  registry: [1, 2],
  registrar: [0, 1, 2, 3],
  controller: [1, 2, 3, 4, 5, 6, 7],
  "renewal-referrer": [1],
  wrapper: [1],
  resolver: [0, 1, 2, 3, 4, 5, 6],
  "reverse-registrar": [1, 2, 3, 4],
  "reverse-resolver": [1],
  "default-reverse-registrar": [1],
  "l2-reverse-registrar": [1],
  "agent-adapter": [1],
  "agent-registry": [1],
  "dns-token": [1],
  "dns-registrar": [1, 2],
  "subdomain-registrar": [1],
  "short-name-claims": [1],
  "price-feed": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
};

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), "expected a 0x-prefixed address of 20 bytes")
  .transform((text): Address => getAddress(text.toLowerCase() as Address));
const blockNumber = z.int().min(0);

const contractEntry = z
  .strictObject({
    role: z.enum(roles),
    generation: z.int(),
    address,
    /** Block of the contract's creation, or any block before its first log. */
    startBlock: blockNumber,
    endBlock: blockNumber.optional(),
    /** Resolvers only: all data is on chain, answers are what its events said, and it cannot be upgraded. */
    static: z.boolean().optional(),
    /** What people call the contract: `Public Resolver (2023)`. */
    title: z.string().min(1).max(64).optional(),
  })
  .refine((entry) => generations[entry.role].includes(entry.generation), {
    error: (issue) => {
      const entry = issue.input as { role: Role; generation: number };
      return `generation ${entry.generation} of ${entry.role} is unknown; known: ${generations[entry.role].join(", ")}`;
    },
  });

const chainShape = z.strictObject({
  /** The word by which answers name the chain. */
  name: z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, "expected lower-case letters, digits and dashes"),
  chainId: z.int().min(1),
  contracts: z.array(contractEntry).min(1),
  universalResolver: address.optional(),
  multicall3: address.optional(),
});

type Listed = { contracts: { role: Role; generation: number }[] };

const find = (chain: Listed, role: Role, ...wanted: number[]): boolean =>
  chain.contracts.some((entry) => entry.role === role && wanted.includes(entry.generation));

/** Contracts that a layer 2 can have only below a managed name. */
const rolesOfNames: readonly Role[] = [
  ...(["registry", "registrar", "controller", "wrapper", "resolver", "dns-token"] as const),
];

const holdsNames = (chain: Listed): boolean =>
  chain.contracts.some((entry) => rolesOfNames.includes(entry.role));

const knownManagedNames = managedNames.map(({ name, chainId }) => `${name} on ${chainId}`).join(", ");

const layer2Shape = chainShape
  .extend({
    /** The name below which the chain keeps names, if any. */
    managedName: z
      .strictObject({
        name: z.string(),
        /** Resolvers on the main chain that answer for names below it from this chain's registry. */
        bridges: z.array(address).min(1),
      })
      .optional(),
  })
  .refine(
    ({ chainId, managedName }) =>
      managedName === undefined ||
      managedNames.some((one) => one.name === managedName.name && one.chainId === chainId),
    { path: ["managedName", "name"], error: `expected a name on its own chain: ${knownManagedNames}` },
  )
  .refine(
    (chain) =>
      chain.managedName === undefined ||
      find(chain, "dns-token", 1) ||
      (find(chain, "registry", 2) && find(chain, "registrar", 2, 3)),
    {
      path: ["contracts"],
      error:
        "a chain with a managedName needs the registry of generation 2 and a registrar of generation 2 or 3, or a dns-token",
    },
  )
  .refine((chain) => chain.managedName !== undefined || !holdsNames(chain), {
    path: ["managedName"],
    error: `expected for a layer 2 with contracts of ${rolesOfNames.join(", ")}`,
  });

const addresses = z.array(address);

/** The contracts of ENSv2 on the main chain; docs/deployments.md says what each is. */
const ensv2Shape = z.strictObject({
  /** Block of the first contract's creation, or any block before its first log. */
  startBlock: blockNumber,
  /** The first month whose layout of events the contracts have; docs/ensv2.md says what changed. */
  layout: z.enum(["2026-02", "2026-03", "2026-05"]).default("2026-05"),
  rootRegistry: address,
  ethRegistry: address,
  registrars: addresses.min(1),
  /** Contracts that renew names of ENSv1 that are reserved in ENSv2. */
  renewersV1: addresses.default([]),
  /** Contracts that reserve names of ENSv1 before the change. */
  batchSenders: addresses.default([]),
  /** Contracts through which names of ENSv1 are migrated. */
  migrationControllers: addresses.default([]),
  /** Contracts that keep what is left of migrated names in ENSv1. */
  graveyards: addresses.default([]),
  /** Factories whose proxies are registries and resolvers of known code. */
  factories: addresses.default([]),
  labelStores: addresses.default([]),
  /** The code that the index knows: of a proxy with other code it answers nothing. */
  implementations: z.strictObject({
    registry: addresses.default([]),
    wrapper: addresses.default([]),
    resolver: addresses.default([]),
  }),
  /** Resolvers that answer from ENSv1. */
  ensV1Resolvers: addresses.default([]),
  /** Resolvers of ENSv2 that keep records by node, as those of ENSv1. */
  publicResolvers: addresses.default([]),
  /** The proxies in front of the universal resolver. */
  universalResolver: z.strictObject({ top: address, managed: address.optional() }).optional(),
  /** The UniversalHelper, which tells owners of names. */
  helper: address.optional(),
  /** Seconds after the expiry of a .eth name in which it can still be renewed. */
  graceSeconds: z.int().min(0).default(2_419_200),
  /** Seconds after the grace period in which a .eth name has a premium. */
  premiumSeconds: z.int().min(0).default(1_814_400),
  /** Seconds by which reservations end later than the names of ENSv1. */
  bonusSeconds: z.int().min(0).default(5_356_800),
  /** ERC-20 tokens that registrars take. */
  paymentTokens: z
    .array(
      z.strictObject({
        address,
        symbol: z.string().min(1).max(32),
        decimals: z.int().min(0).max(36),
      }),
    )
    .default([]),
});

/** What the price oracle of the controllers of generations 4 and 5 computes with. It never changes. */
const priceFeedShape = z.strictObject({
  /** The proxy that the oracle asks. The contracts of the role `price-feed` are its aggregators, one for each phase. */
  proxy: address,
  /** AttoUSD per second for labels of 1, 2, 3, 4, and of 5 and more characters. */
  rents: z.array(z.int().min(0)).length(5),
  /** When each phase but the first took over: it was not there yet at block `after`, and was at block `by`. */
  takeovers: z.array(z.strictObject({ phase: z.int(), after: blockNumber, by: blockNumber })).default([]),
  /** A block at which the last phase was still the feed's. */
  lastSeen: blockNumber,
});

/** The shape of a deployment file (`ENS_DEPLOYMENT`): the main chain, and the layer 2s with names or primary names. */
export const deploymentShape = chainShape
  .extend({
    layer2: z.array(layer2Shape).default([]),
    ensv2: ensv2Shape.optional(),
    priceFeed: priceFeedShape.optional(),
  })
  .refine((deployment) => find(deployment, "registry", 2) && find(deployment, "registrar", 2), {
    error: "expected at least the registry of generation 2 and the registrar of generation 2",
  })
  .refine(
    ({ contracts, priceFeed }) => {
      const phases = contracts.flatMap(({ role, generation }) => (role === "price-feed" ? [generation] : []));
      const later = phases.sort((a, b) => a - b).slice(1);
      const known = new Set(priceFeed?.takeovers.map(({ phase }) => phase));
      return phases.length > 0 === (priceFeed !== undefined) && later.every((phase) => known.has(phase));
    },
    {
      path: ["priceFeed"],
      error:
        "expected together with contracts of the role price-feed, and when each phase but the first took over",
    },
  )
  .refine(({ chainId }) => managedNameOf(chainId) === undefined, {
    path: ["chainId"],
    error: (issue) => {
      const { chainId } = issue.input as { chainId: number };
      return `chain ${chainId} is the layer 2 of ${managedNameOf(chainId)?.name}: it cannot be the main chain`;
    },
  });

/** What handlers know of a deployment's price feed; undefined where none is known. */
export function priceFeedOf({ priceFeed, ...chain }: Deployment): PriceFeed | undefined {
  if (priceFeed === undefined) return undefined;
  const { rents, lastSeen, takeovers } = priceFeed;
  const aggregators = listContracts(chain, "price-feed").sort((a, b) => a.generation - b.generation);
  const phases = aggregators.map(({ generation: phase, address: aggregator, startBlock }) => {
    const takeover = takeovers.find((one) => one.phase === phase) ?? {
      after: startBlock - 1,
      by: startBlock,
    };
    return { phase, aggregator: aggregator.toLowerCase(), after: takeover.after, by: takeover.by };
  });
  return { rents, phases, lastSeen };
}

export type ContractEntry = z.infer<typeof contractEntry>;
export type ChainDeployment = z.infer<typeof chainShape>;
export type Layer2Deployment = z.infer<typeof layer2Shape>;
export type Ensv2Deployment = z.infer<typeof ensv2Shape>;
export type Deployment = z.infer<typeof deploymentShape>;

/** The deployments that come with Namedex, by `ENS_NETWORK`. */
export const knownDeployments = {
  mainnet: () => deploymentShape.parse(mainnet),
  sepolia: () => deploymentShape.parse(sepolia),
};

/** Contracts of one role, optionally of certain generations, in the order of the deployment. */
export function listContracts(chain: ChainDeployment, role: Role, ...wanted: number[]): ContractEntry[] {
  return chain.contracts.filter(
    (entry) => entry.role === role && (wanted.length === 0 || wanted.includes(entry.generation)),
  );
}
