/** NameWrapper fuses that have a name. Source: ens-contracts, contracts/wrapper/INameWrapper.sol. */
const fuses: readonly [bit: number, name: string][] = [
  [1, "CANNOT_UNWRAP"],
  [2, "CANNOT_BURN_FUSES"],
  [4, "CANNOT_TRANSFER"],
  [8, "CANNOT_SET_RESOLVER"],
  [16, "CANNOT_SET_TTL"],
  [32, "CANNOT_CREATE_SUBDOMAIN"],
  [64, "CANNOT_APPROVE"],
  [65536, "PARENT_CANNOT_CONTROL"],
  [131072, "IS_DOT_ETH"],
  [262144, "CAN_EXTEND_EXPIRY"],
];

/** Names of the burnt fuses, lowest bit first. Fuses defined by owners have no name. */
export const fuseNames = (burnt: number): string[] =>
  fuses.filter(([bit]) => (burnt & bit) !== 0).map(([, name]) => name);
