/**
 * Roles of registries of ENSv2 by their bit. Each has 4 bits; the role that may grant it is 128 bits higher.
 * Source: ensdomains/contracts-v2, src/registry/libraries/RegistryRolesLib.sol.
 */
const names: ReadonlyMap<number, string> = new Map([
  [0, "REGISTRAR"],
  [4, "REGISTER_RESERVED"],
  [8, "SET_PARENT"],
  [12, "UNREGISTER"],
  [16, "RENEW"],
  [20, "SET_SUBREGISTRY"],
  [24, "SET_RESOLVER"],
  [32, "WAS_RESERVED"],
  [36, "SET_URI"],
  [120, "CAN_NAME"],
  [124, "UPGRADE"],
]);

/** The only admin role that means something by itself: whether the holder may transfer the token. */
const CAN_TRANSFER = 156;

const ADMIN = 128;
const BITS = 256;

/** Roles in words, lowest bit first; `<role>_ADMIN` may grant and revoke a role. One without a name is shown by its bit. */
export function roleNames(roles: bigint): string[] {
  const bits = Array.from({ length: BITS / 4 }, (_, i) => i * 4);
  return bits.filter((bit) => ((roles >> BigInt(bit)) & 0xfn) !== 0n).map(nameOf);
}

function nameOf(bit: number): string {
  if (bit === CAN_TRANSFER) return "CAN_TRANSFER";
  return bit < ADMIN
    ? (names.get(bit) ?? `ROLE_${bit}`)
    : `${names.get(bit - ADMIN) ?? `ROLE_${bit - ADMIN}`}_ADMIN`;
}
