/** Words for a contract's roles, by bit. Each role has 4 bits; the one that may grant it is 128 bits higher. */
type RoleWords = ReadonlyMap<number, string>;

/** Roles of ENSv2 registries. Source: ensdomains/contracts-v2, src/registry/libraries/RegistryRolesLib.sol. */
const ofRegistries: RoleWords = new Map([
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
  // The only admin role with a meaning of its own: whether the holder may transfer the token.
  [156, "CAN_TRANSFER"],
]);

/** Roles of ENSv2 resolvers. Source: ensdomains/contracts-v2, src/resolver/libraries/PermissionedResolverLib.sol. */
const ofResolvers: RoleWords = new Map([
  [0, "SET_ADDRESS"],
  [4, "SET_TEXT"],
  [8, "SET_CONTENTHASH"],
  [12, "SET_PUBKEY"],
  [16, "SET_ABI"],
  [20, "SET_INTERFACE"],
  [24, "SET_NAME"],
  [28, "SET_DATA"],
  [32, "NEW_RECORD"],
  [36, "LINK_RECORD"],
  [40, "CLEAR_RECORD"],
  [120, "CAN_NAME"],
  [124, "UPGRADE"],
]);

const ADMIN = 128;
const BITS = 256;

/** Roles in words, lowest bit first. `<role>_ADMIN` may grant and revoke a role. A role without a name is shown by its bit. */
export const roleNames = (roles: bigint): string[] => namesOf(roles, ofRegistries);

/** The same for a resolver's roles. */
export const resolverRoleNames = (roles: bigint): string[] => namesOf(roles, ofResolvers);

function namesOf(roles: bigint, words: RoleWords): string[] {
  const bits = Array.from({ length: BITS / 4 }, (_, i) => i * 4);
  return bits.filter((bit) => ((roles >> BigInt(bit)) & 0xfn) !== 0n).map((bit) => nameOf(bit, words));
}

function nameOf(bit: number, words: RoleWords): string {
  const own = words.get(bit);
  if (own !== undefined) return own;
  return bit < ADMIN ? `ROLE_${bit}` : `${words.get(bit - ADMIN) ?? `ROLE_${bit - ADMIN}`}_ADMIN`;
}
