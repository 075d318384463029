import type { Address } from "viem";
import {
  type ChainDeployment,
  type Deployment,
  type Ensv2Deployment,
  listContracts,
} from "../../../../../abis/deployments.ts";
import { MULTICALL3 } from "../../../../../abis/universalResolver.ts";

/** A contract that sells time in a registrar of ENSv1 or of a layer 2, as long as the registrar authorises it. */
export type Controller = {
  address: Address;
  /**
   * The wrapper that authorises the controller and is authorised by the registrar; undefined if the registrar itself authorises
   * the controller.
   */
  wrapper: Address | undefined;
};

/** The contracts of a chain that decide its prices. */
export type Sellers = {
  chainId: number;
  multicall3: Address;
  registrar: Address;
  /** The newest comes last. */
  controllers: readonly Controller[];
  ensv2: Ensv2Sellers | undefined;
};

export type Ensv2Sellers = Pick<Ensv2Deployment, "paymentTokens"> & {
  /** The newest comes last. */
  registrars: readonly Address[];
  /** Renew ENSv1 names that ENSv2 reserves. The newest comes last. */
  renewers: readonly Address[];
};

/** Generations of controllers that expose their oracle. The NameWrapper authorises 4 and 7. A higher generation is newer. */
const GENERATIONS = [4, 5, 6, 7];
const THROUGH_WRAPPER = [4, 7];

/** The chains that sell names, with the contracts that do so. */
export const sellersOf = (deployment: Deployment): Sellers[] =>
  [deployment, ...deployment.layer2].flatMap((chain) => sellersOfChain(chain) ?? []);

function sellersOfChain(chain: ChainDeployment & { ensv2?: Ensv2Deployment | undefined }): Sellers | null {
  const [registrar] = listContracts(chain, "registrar", 2, 3);
  const [wrapper] = listContracts(chain, "wrapper");
  if (registrar === undefined) return null;
  const controllers = listContracts(chain, "controller", ...GENERATIONS)
    .toSorted((one, other) => one.generation - other.generation)
    .map(({ address, generation }) => ({
      address,
      wrapper: THROUGH_WRAPPER.includes(generation) ? wrapper?.address : undefined,
    }));
  const { ensv2, chainId, multicall3 = MULTICALL3 } = chain;
  return {
    chainId,
    multicall3,
    registrar: registrar.address,
    controllers,
    ensv2: ensv2 && {
      registrars: ensv2.registrars,
      renewers: ensv2.renewersV1,
      paymentTokens: ensv2.paymentTokens,
    },
  };
}
