import type { Feature } from "../../core/feature.ts";
import { retryOnLock } from "../../server/indexState/retryOnLock.ts";
import { createPages } from "./pages.ts";

/** The first page for programs, the reference, OpenAPI, llms.txt and sign-up. They are always there. */
export const feature: Feature = {
  name: "the documentation",
  switches: [],
  paths: [],
  build: ({ settings, createContext, priceOf }) => ({
    routes: (operations) =>
      createPages({
        operations,
        createContext: () => retryOnLock(createContext),
        access: settings.access,
        priceOf,
        offers: {
          explorer: settings.hasExplorer,
          mcp: settings.hasMcp,
          subgraph: settings.hasSubgraph,
        },
        publicUrl: settings.publicUrls[0],
      }),
  }),
};
