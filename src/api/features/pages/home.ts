import { type AccessMode, accessInWords, version } from "../../server/http/openapi.ts";
import type { Unfit } from "../../server/indexState/freshness.ts";
import type { SignupState } from "./signup.tsx";

/** The state of the index as the first page shows it. */
export type IndexStatus = {
  network: string;
  /** Why operations on names do not answer; null if they do. */
  unfit: Unfit | null;
  indexedBlock: number;
  access: AccessMode;
  signup: SignupState;
  offers: Offers;
};

/** Features that have pages or paths of their own. */
export type Offers = { explorer: boolean; mcp: boolean; subgraph: boolean };

/** The first page: what this is, how current it is, and where everything else is. The explorer has one for browsers. */
export function toHomeJson({ network, unfit, indexedBlock, access, signup, offers }: IndexStatus) {
  return {
    name: "Namedex",
    version,
    description: "An open-source, self-hosted index of the Ethereum Name Service",
    network,
    index: { ready: unfit === null, reason: unfit, block: indexedBlock },
    access: accessInWords[access],
    ...(offers.mcp && { mcp: "/mcp" }),
    links: {
      documentation: "/docs",
      ...(offers.subgraph && { graphiql: "/subgraph" }),
      openapi: "/openapi.json",
      llms: "/llms.txt",
      llms_full: "/llms-full.txt",
      ...(signup === "open" && { signup: "/signup" }),
      status: "/indexing-status",
      stats: "/stats",
    },
    examples: examplesFor(network),
  };
}

function examplesFor(network: string): string[] {
  const name = network === "mainnet" ? "vitalik.eth" : "alice.eth"; // One that exists on the network.
  return [
    `/whois/${name}`,
    `/domain/${name}/records`,
    `/domain/${name}/ownership-history`,
    "/search-domains?q=ali",
    "/stats",
  ];
}
