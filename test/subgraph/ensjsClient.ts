import { createPublicClient, defineChain, http } from "viem";
import { addressOf } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";

/** A client of ENS's own library on a local chain, with the Namedex at a URL as its subgraph. */
export function ensjsClient({ anvil, chain }: LocalChain, url: string) {
  const at = (contract: string) => ({ address: addressOf(chain, contract) });
  const devnet = defineChain({
    id: anvil.chainId,
    name: "devnet",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } },
    contracts: {
      ensRegistry: at("registry"),
      ensBaseRegistrarImplementation: at("registrar"),
      ensNameWrapper: at("wrapper"),
      ensPublicResolver: at("resolver5"),
    },
    subgraphs: { ens: { url: `${url}/subgraph` } },
  });
  return createPublicClient({ chain: devnet, transport: http() }) as never;
}
