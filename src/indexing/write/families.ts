/** Entries of the configuration whose family has another name, as `events.contract` has it. */
const families: readonly [entry: RegExp, family: string][] = [
  [/Controller\d?$/, "CONTROLLER"],
  [/^(Base|Basenames)Registrar$/, "REGISTRAR"],
  [/^DnsToken$/, "REGISTRAR_DNS"],
  [/^AuctionRegistrar$/, "REGISTRAR_AUCTION"],
  [/^BasenamesReverseRegistrar$/, "REVERSE_REGISTRAR"],
  [/^Ensv2(Root|Eth|Proxy)Registry$/, "ENSV2_REGISTRY"],
  [/^Ensv2RenewerV1$/, "ENSV2_RENEWER"],
  [/^(?!Ensv2).*Resolver(UnindexedKey)?$/, "RESOLVER"],
];

/** The family of the contracts of an entry of the configuration, as `events.contract` has it. */
export const familyOf = (entry: string): string =>
  families.find(([pattern]) => pattern.test(entry))?.[1] ??
  entry.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase();
