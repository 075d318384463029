import type { Feature } from "../../core/feature.ts";
import { indexedPrimaryNames } from "../../names/endpoints/primaryNamesEndpoints.ts";
import { createExplorer } from "./explorer.ts";

/** Pages for browsers, at `/` and `/explore`. */
export const feature: Feature = {
  name: "the explorer",
  switches: ["hasExplorer"],
  paths: ["/explore", "/explore/*"],
  build: ({ settings, contracts, server }) => ({
    routes: (operations) =>
      createExplorer({
        operations,
        ...server,
        primaryNames: indexedPrimaryNames,
        hasAvatars: settings.hasAvatars,
        hasMcp: settings.hasMcp,
        outside: {
          mainChain: contracts.chainName(contracts.chainId),
          titleOf: (address) => contracts.contractTitle(address),
          ipfsGateway: settings.ipfsGateway?.startsWith("https:") ? settings.ipfsGateway : null,
          blockExplorers: Object.fromEntries(
            [...settings.blockExplorers].map(([id, url]) => [contracts.chainName(id), url]),
          ),
        },
        access: settings.access,
        publicUrl: settings.publicUrls[0],
      }),
  }),
};
