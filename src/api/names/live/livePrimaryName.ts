import { type Address, encodeFunctionData } from "viem";
import { universalResolverAbi } from "../../../../abis/universalResolver.ts";
import { MAX_NAME_BYTES } from "../../../ens/name.ts";
import { textOfBytes } from "../../../ens/utf8.ts";
import { callWithLookups, OWN_BATCH_GATEWAY } from "./ccip/ccip.ts";
import { LiveFailure } from "./failure.ts";
import { AbiError, byteLength, readAbi } from "./liveAbi.ts";
import { type ResolverReach, readRevert, requireUniversalResolver } from "./liveRecords.ts";

/** Errors that mean "there is no primary name". Every other error of the Universal Resolver is a failure. */
const noName = [
  "ResolverNotFound",
  "ResolverNotContract",
  "ReverseAddressMismatch",
  "UnsupportedResolverProfile",
  "UnreachableName",
];

/**
 * The name that an address claims by its reverse record, if that name resolves to the address (ENSIP-19); null if it claims none,
 * or another address's name. Does not check whether the name is normalised.
 *
 * @throws LiveFailure
 */
export async function readPrimaryName(
  reach: ResolverReach,
  { address, coinType }: { address: Address; coinType: bigint },
): Promise<string | null> {
  const data = encodeFunctionData({
    abi: universalResolverAbi,
    functionName: "reverseWithGateways",
    args: [address, coinType, [OWN_BATCH_GATEWAY]],
  });
  const to = requireUniversalResolver(reach.universalResolver);
  const result = await callWithLookups(reach, { to, data, blockNumber: reach.blockNumber });
  if (!result.ok) {
    const { errorName, failure } = readRevert(result.revert);
    if (errorName !== null && noName.includes(errorName)) return null;
    throw failure;
  }
  try {
    const [name] = readAbi(["bytes", "word", "word"], result.data);
    // Nobody can look up a longer name.
    return name === "0x" || byteLength(name) > MAX_NAME_BYTES ? null : textOfBytes(name);
  } catch (error) {
    if (!(error instanceof AbiError)) throw error;
    throw new LiveFailure("resolver", "The reverse resolver's answer cannot be decoded.");
  }
}
