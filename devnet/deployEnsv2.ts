import { type Address, maxUint64, zeroAddress } from "viem";
import type { Ensv2Deployment } from "../abis/deployments.ts";
import { DAY } from "./acts/controllers.ts";
import { BONUS_V2, GRACE_V2, ROLES, withAdmin } from "./acts/ensv2.ts";
import { addressOf, call, create, type Deployer, double } from "./deployer.ts";

/*
 * The contracts of ENSv2, doubles of ours, beside those of ENSv1 on the main chain. What follows the deployment, from the
 * reservations to the day on which ENSv2 answers, are acts (`acts/ensv2Phases.ts`).
 */

/** AttoUSD per second for labels of 1, 2, 3, 4 and more characters: 640, 160 and 8 USD a year from the third on. */
const RENTS = [0n, 0n, 20_294_266_869_609n, 5_073_566_717_402n, 253_678_335_870n];
const COMMITMENT_AGES = [60n, DAY] as const;
const MIN_DURATION = 28n * DAY;
const STABLECOINS = { usdc: { symbol: "USDC", decimals: 6 }, dai: { symbol: "DAI", decimals: 18 } } as const;

/** Deploys the first phase of the change: no one may register or migrate yet, and ENSv1 is unchanged. */
export async function deployEnsv2(deployer: Deployer): Promise<Ensv2Deployment> {
  await deployRegistries(deployer);
  await deployEnsv2Resolvers(deployer);
  await deployProxyCode(deployer);
  await deployRegistrars(deployer);
  await deployMigration(deployer);
  await deployUniversalResolver(deployer);
  // Clients that know ENSv1 only find names of ENSv2 through the resolver of `eth`.
  await call(deployer, "registrar", "setResolver", [addressOf(deployer, "ensV2Resolver")]);
  return toEnsv2Deployment(deployer);
}

async function deployRegistries(deployer: Deployer): Promise<void> {
  const { account } = deployer;
  await create(deployer, "labelStore", double("LabelStoreDouble"));
  const labelStore = addressOf(deployer, "labelStore");
  const rootRoles = withAdmin(ROLES.registrar | ROLES.renew | ROLES.setSubregistry | ROLES.setResolver);
  const registry = double("PermissionedRegistryDouble");
  await create(deployer, "rootRegistry", registry, [labelStore, account, rootRoles]);
  // No account has roles that touch what others hold: names of `.eth` can be sold by plain transfers.
  const ethRoles = withAdmin(ROLES.registrar | ROLES.registerReserved | ROLES.renew | ROLES.setParent);
  await create(deployer, "ethRegistry", registry, [labelStore, account, ethRoles]);
  const [root, eth] = [addressOf(deployer, "rootRegistry"), addressOf(deployer, "ethRegistry")];
  await call(deployer, "rootRegistry", "register", ["eth", account, eth, zeroAddress, 0n, maxUint64]);
  await call(deployer, "ethRegistry", "setParent", [root, "eth"]);
}

async function deployEnsv2Resolvers(deployer: Deployer): Promise<void> {
  const [registry, root] = [addressOf(deployer, "registry"), addressOf(deployer, "rootRegistry")];
  await create(deployer, "ensV1Resolver", double("ENSV1ResolverDouble"), [registry]);
  await create(deployer, "ensV2Resolver", double("ENSV2ResolverDouble"), [root]);
  const publicArguments = [registry, addressOf(deployer, "wrapper"), root];
  await create(deployer, "publicResolverV2", double("PublicResolverV2Double"), publicArguments);
  const reverse = ["reverse", deployer.account, zeroAddress, addressOf(deployer, "ensV1Resolver"), 0n];
  await call(deployer, "rootRegistry", "register", [...reverse, maxUint64]);
}

/** The code of registries and resolvers that stand behind proxies; the graveyard, whose address that of wrappers knows. */
async function deployProxyCode(deployer: Deployer): Promise<void> {
  const { account } = deployer;
  await create(deployer, "factory", double("VerifiableFactoryDouble"));
  await create(deployer, "graveyard", double("GraveyardDouble"), [addressOf(deployer, "wrapper")]);
  const publicResolvers = ["resolver2", "resolver3", "resolver4", "resolver5"].map((name) =>
    addressOf(deployer, name),
  );
  await create(deployer, "publicResolverSet", double("AddressSetDouble"), [publicResolvers]);
  const labelStore = addressOf(deployer, "labelStore");
  await create(deployer, "userRegistryCode", double("UserRegistryDouble"), [labelStore, account]);
  await create(deployer, "wrapperRegistryCode", double("WrapperRegistryDouble"), [
    ...addressesOf(deployer, ["wrapper", "graveyard", "factory", "ensV1Resolver", "labelStore"]),
    ...addressesOf(deployer, ["publicResolverSet", "publicResolverV2"]),
    account,
  ]);
  await create(deployer, "resolverCode", double("PermissionedResolverDouble"), [account]);
}

async function deployRegistrars(deployer: Deployer): Promise<void> {
  const { account } = deployer;
  await create(deployer, "rentPriceOracle", double("RentPriceOracleDouble"), [RENTS, [], 0n]);
  for (const [name, { symbol, decimals }] of Object.entries(STABLECOINS)) {
    await create(deployer, name, double("StablecoinDouble"), [symbol, decimals]);
    const perUnit = 10n ** BigInt(18 - decimals);
    await call(deployer, "rentPriceOracle", "updatePaymentToken", [addressOf(deployer, name), 1n, perUnit]);
  }
  const common = [addressOf(deployer, "ethRegistry"), account, addressOf(deployer, "rentPriceOracle")];
  const registrarArguments = [...common, GRACE_V2, ...COMMITMENT_AGES, MIN_DURATION];
  await create(deployer, "ethRegistrar", double("ETHRegistrarDouble"), registrarArguments);
  await create(deployer, "renewerV1", double("ETHRenewerV1Double"), [
    ...common,
    GRACE_V2,
    ...addressesOf(deployer, ["registrar", "controller4"]),
  ]);
  const batchArguments = [addressOf(deployer, "ethRegistry")];
  await create(deployer, "batchRegistrar", double("BatchRegistrarDouble"), batchArguments);
}

async function deployMigration(deployer: Deployer): Promise<void> {
  const unlocked = addressesOf(deployer, ["wrapper", "graveyard", "ethRegistry"]);
  await create(deployer, "unlockedMigration", double("UnlockedMigrationControllerDouble"), unlocked);
  const locked = ["factory", "wrapperRegistryCode", "publicResolverSet", "publicResolverV2"];
  await create(deployer, "lockedMigration", double("LockedMigrationControllerDouble"), [
    ...unlocked,
    ...addressesOf(deployer, locked),
  ]);
}

/** The lasting proxy goes on with the resolver of ENSv1; the managed one behind which that of ENSv2 stands is not in use. */
async function deployUniversalResolver(deployer: Deployer): Promise<void> {
  const { account } = deployer;
  const root = addressOf(deployer, "rootRegistry");
  const resolverArguments = [root, addressOf(deployer, "defaultReverseRegistrar")];
  await create(deployer, "universalResolverV2", double("UniversalResolverV2Double"), resolverArguments);
  await create(deployer, "universalHelper", double("UniversalHelperDouble"), [root]);
  const proxies = { topProxy: "universalResolver", managedProxy: "universalResolverV2" };
  for (const [name, behind] of Object.entries(proxies)) {
    const proxyArguments = [account, addressOf(deployer, behind)];
    await create(deployer, name, double("UniversalResolverProxyDouble"), proxyArguments);
  }
}

function toEnsv2Deployment(deployer: Deployer): Ensv2Deployment {
  const at = (...names: string[]) => addressesOf(deployer, names);
  const first = deployer.places.get("labelStore");
  if (first === undefined) throw new Error("ENSv2 is not deployed");
  return {
    startBlock: first.startBlock,
    layout: "2026-05",
    rootRegistry: addressOf(deployer, "rootRegistry"),
    ethRegistry: addressOf(deployer, "ethRegistry"),
    registrars: at("ethRegistrar"),
    renewersV1: at("renewerV1"),
    batchSenders: at("batchRegistrar"),
    migrationControllers: at("unlockedMigration", "lockedMigration"),
    graveyards: at("graveyard"),
    factories: at("factory"),
    labelStores: at("labelStore"),
    implementations: {
      registry: at("userRegistryCode"),
      wrapper: at("wrapperRegistryCode"),
      resolver: at("resolverCode"),
    },
    ensV1Resolvers: at("ensV1Resolver"),
    publicResolvers: at("publicResolverV2"),
    universalResolver: { top: addressOf(deployer, "topProxy"), managed: addressOf(deployer, "managedProxy") },
    helper: addressOf(deployer, "universalHelper"),
    graceSeconds: Number(GRACE_V2),
    premiumSeconds: Number(21n * DAY),
    bonusSeconds: Number(BONUS_V2),
    paymentTokens: Object.entries(STABLECOINS).map(([name, token]) => ({
      ...token,
      address: addressOf(deployer, name),
    })),
  };
}

const addressesOf = (deployer: Deployer, names: readonly string[]): Address[] =>
  names.map((name) => addressOf(deployer, name));
