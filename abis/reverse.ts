import { parseAbi } from "viem";

const owned = "event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)";
const nameForAddr = "event NameForAddrChanged(address indexed addr, string name)";

/**
 * Events of the reverse registrar of 2023. Its two forerunners emit none.
 * Source: ensdomains/ens-contracts, deployments/mainnet/ReverseRegistrar.json.
 */
export const reverseRegistrarAbi = parseAbi([
  "event ReverseClaimed(address indexed addr, bytes32 indexed node)",
  "event DefaultResolverChanged(address indexed resolver)",
  "event ControllerChanged(address indexed controller, bool enabled)",
  owned,
]);

/**
 * Events of the reverse registrar of Basenames (2024), which is history since ENSIP-19.
 * Source: base/basenames, src/L2/ReverseRegistrar.sol.
 */
export const basenamesReverseRegistrarAbi = parseAbi([
  "event BaseReverseClaimed(address indexed addr, bytes32 indexed node)",
  "event DefaultResolverChanged(address indexed resolver)",
  "event ControllerApprovalChanged(address indexed controller, bool approved)",
  owned,
]);

/**
 * The event of ENSIP-19's registrars: the DefaultReverseRegistrar on mainnet and an L2ReverseRegistrar on each
 * layer 2. An empty name clears. Source: ENSIP-19; ensdomains/ens-contracts, contracts/reverseRegistrar.
 */
export const nameForAddrAbi = parseAbi([nameForAddr]);

/** All events of the DefaultReverseRegistrar, which has an owner and controllers besides. */
export const defaultReverseRegistrarAbi = parseAbi([
  nameForAddr,
  "event ControllerChanged(address indexed controller, bool enabled)",
  owned,
]);

/** The read of ENSIP-19's registrars, for programs that compare. */
export const nameForAddrReads = parseAbi(["function nameForAddr(address addr) view returns (string)"]);
