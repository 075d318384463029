import type { Feature } from "../../core/feature.ts";
import { mcpRoutes } from "./routes.ts";

/** The operations as tools for agents, at `/mcp`. */
export const feature: Feature = {
  name: "MCP",
  switches: ["hasMcp"],
  paths: ["/mcp"],
  build: ({ settings, server, contracts }) => ({
    routes: (operations) =>
      mcpRoutes(operations, server, {
        publicUrls: settings.publicUrls,
        chains: { main: contracts.chainId, nameOf: contracts.chainName },
      }),
  }),
};
