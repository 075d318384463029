import type { Context } from "ponder:registry";

/** An entry of the configuration: contracts with the same events. */
export type Entry = keyof Context["contracts"];

/** The family of the contracts of each entry, as `events.contract` has it. */
const families = {
  RegistryOld: "REGISTRY_OLD",
  Registry: "REGISTRY",
  AuctionRegistrar: "REGISTRAR_AUCTION",
  RegistrarOld: "REGISTRAR_OLD",
  BaseRegistrar: "REGISTRAR",
  BasenamesRegistrar: "REGISTRAR",
  LegacyController1: "CONTROLLER",
  LegacyController2: "CONTROLLER",
  LegacyController3: "CONTROLLER",
  WrappedController: "CONTROLLER",
  UnwrappedController: "CONTROLLER",
  BasenamesController: "CONTROLLER",
  LineanamesController: "CONTROLLER",
  AddedController: "CONTROLLER",
  WrapperController: "CONTROLLER",
  DnsToken: "REGISTRAR_DNS",
  PriceFeed: "PRICE_FEED",
  DnsRegistrar: "DNS_REGISTRAR",
  SubdomainRegistrar: "SUBDOMAIN_REGISTRAR",
  ShortNameClaims: "SHORT_NAME_CLAIMS",
  RenewalReferrer: "RENEWAL_REFERRER",
  NameWrapper: "NAME_WRAPPER",
  Resolver: "RESOLVER",
  FoundResolver: "RESOLVER",
  ResolverUnindexedKey: "RESOLVER",
  ListedResolver: "RESOLVER",
  DefaultReverseResolver: "RESOLVER",
  ReverseRegistrar: "REVERSE_REGISTRAR",
  BasenamesReverseRegistrar: "REVERSE_REGISTRAR",
  DefaultReverseRegistrar: "DEFAULT_REVERSE_REGISTRAR",
  L2ReverseRegistrar: "L2_REVERSE_REGISTRAR",
  Ensv2RootRegistry: "ENSV2_REGISTRY",
  Ensv2EthRegistry: "ENSV2_REGISTRY",
  Ensv2ProxyRegistry: "ENSV2_REGISTRY",
  Ensv2Registrar: "ENSV2_REGISTRAR",
  Ensv2RenewerV1: "ENSV2_RENEWER",
  Ensv2Factory: "ENSV2_FACTORY",
  Ensv2LabelStore: "ENSV2_LABEL_STORE",
  Ensv2Resolver: "ENSV2_RESOLVER",
  Ensv2UniversalResolver: "ENSV2_UNIVERSAL_RESOLVER",
  AgentAdapter: "AGENT_ADAPTER",
  AgentRegistry: "AGENT_REGISTRY",
} as const satisfies Record<Entry, string>;

/** The family of an entry's contracts. */
export const familyOf = (entry: Entry): string => families[entry];
