import type { Feature } from "../../core/feature.ts";
import { mountGraphiql } from "./graphiql.ts";
import { subgraphPaths, subgraphRoutes } from "./routes.ts";

/** The query language of the ENS subgraph, at `/subgraph`, with a page to write queries. */
export const feature: Feature = {
  name: "the subgraph",
  switches: ["hasSubgraph"],
  paths: [...subgraphPaths, "/subgraph/*"],
  build: ({ settings, server, shareOf }) => ({
    routes: () => {
      const app = subgraphRoutes(server, shareOf);
      mountGraphiql(app, settings.hasExplorer);
      return app;
    },
  }),
};
