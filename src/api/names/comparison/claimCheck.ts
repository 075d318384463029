import type { Address } from "viem";
import { registryReads } from "../../../../abis/registry.ts";
import { resolverFunctions } from "../../../../abis/resolver.ts";
import { nameForAddrReads } from "../../../../abis/reverse.ts";
import { coinTypeOfChain, DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import { fitsInBytes, MAX_NAME_BYTES } from "../../../ens/name.ts";
import { type CallAnswer, contractCall } from "../live/multicall.ts";
import { reverseNode } from "../schemas/input.ts";
import { addressIn, type Check, NotComparable, textIn } from "./check.ts";
import type { StoredClaim } from "./stored.ts";

export type ClaimSetting = {
  chainId: number;
  registry: Address;
  isIndexed: (resolver: Address) => boolean;
  /** Registrars of ENSIP-19 on this chain. */
  defaultRegistrars: readonly Address[];
  layer2Registrars: readonly Address[];
};

/** The name that an address claims. A name that is too long to be one is stored as none. */
export function claimCheck(claim: StoredClaim, setting: ClaimSetting): Check {
  const { address, coinType, kind, name } = claim;
  return {
    table: "primary_names",
    column: "name",
    kind,
    stored: name,
    of: `${address}, coin type ${coinType}`,
    path: `/address/${address}/primary-name`,
    ...readsOf(claim, setting),
  };
}

type Reads = Pick<Check, "calls" | "read">;

const cannot = (why: string): Reads => ({ calls: [], read: () => new NotComparable(why) });

function readsOf(claim: StoredClaim, setting: ClaimSetting): Reads {
  if (claim.chainId !== setting.chainId)
    return cannot("claims on other chains than the registry's are not compared");
  if (!claim.isKnown) return cannot("the reverse node's resolver logs no names");
  const coinType = BigInt(claim.coinType);
  if (coinType === ETHEREUM_COIN_TYPE) return reverseReads(claim, setting);
  const layer2 = coinType === coinTypeOfChain(setting.chainId) ? setting.layer2Registrars : [];
  const [target, other] = coinType === DEFAULT_COIN_TYPE ? setting.defaultRegistrars : layer2;
  if (target === undefined || other !== undefined)
    return cannot("the deployment has not one registrar of such names");
  const args = [claim.address] as const;
  const call = contractCall(target, { abi: nameForAddrReads, functionName: "nameForAddr", args });
  return { calls: [call], read: ([answer]) => toName(answer) };
}

/** `<address>.addr.reverse`: the name is the `name` record at the node's resolver. */
function reverseReads({ address, resolver }: StoredClaim, { registry, isIndexed }: ClaimSetting): Reads {
  const args = [reverseNode(address)] as const;
  const resolverCall = contractCall(registry, { abi: registryReads, functionName: "resolver", args });
  if (resolver !== null && !isIndexed(resolver)) return cannot("the reverse node's resolver is a stranger's");
  const nameCall = resolver && contractCall(resolver, { abi: resolverFunctions, functionName: "name", args });
  return {
    calls: nameCall === null ? [resolverCall] : [resolverCall, nameCall],
    read: ([current, answer]) => {
      // The resolver itself is compared as a column of the reverse node.
      if (addressIn(current) !== resolver)
        return new NotComparable("the reverse node has another resolver on chain");
      return resolver === null ? null : toName(answer);
    },
  };
}

function toName(answer: CallAnswer | undefined): string | null | NotComparable {
  const name = textIn(answer);
  return typeof name === "string" && !fitsInBytes(name, MAX_NAME_BYTES) ? null : name;
}
