import { createContext, useContext } from "hono/jsx";

/** Where pages lead outside of this service: the operator's choice. */
export type Outside = {
  /** URLs of block explorers, by the chain as answers name it. */
  blockExplorers: Readonly<Record<string, string>>;
  /** The chain that answers do not name. */
  mainChain: string;
  /** A gateway to IPFS; null where pages lead to none. */
  ipfsGateway: string | null;
  /** What people call a contract of the deployment; undefined for other addresses. */
  titleOf: (address: string) => string | undefined;
};

/** Without it pages lead nowhere. */
export const OutsideContext = createContext<Outside | null>(null);

/** A block explorer's page of a transaction or account; null if the chain has none. */
export function useBlockExplorer(
  chain: string | undefined,
): ((kind: "tx" | "address", of: string) => string) | null {
  const outside = useContext(OutsideContext);
  const base = outside?.blockExplorers[chain ?? outside.mainChain];
  return base === undefined ? null : (kind, of) => `${withSlash(base)}${kind}/${encodeURIComponent(of)}`;
}

/** What people call a contract of the deployment. */
export const useContractTitle = (address: string): string | undefined =>
  useContext(OutsideContext)?.titleOf(address);

/** Where the gateway shows an address of IPFS (`ipfs://bafy…`); null without a gateway, or for another address. */
export function useIpfsUrl(uri: string): string | null {
  const gateway = useContext(OutsideContext)?.ipfsGateway ?? null;
  const [, scheme, path] = /^(ip[fn]s):\/\/([a-z0-9.-]+)$/i.exec(uri) ?? [];
  return gateway === null || path === undefined ? null : `${withSlash(gateway)}${scheme}/${path}`;
}

const withSlash = (url: string): string => (url.endsWith("/") ? url : `${url}/`);
