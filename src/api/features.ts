import type { Feature } from "./core/feature.ts";
import { avatarsFeature } from "./features/avatars/feature.ts";
import { explorerFeature } from "./features/explorer/feature.ts";
import { feedFeature } from "./features/feed/feature.ts";
import { mcpFeature } from "./features/mcp/feature.ts";
import { pagesFeature } from "./features/pages/feature.ts";
import { subgraphFeature } from "./features/subgraph/feature.ts";
import { webhooksFeature } from "./features/webhooks/feature.ts";

/** Products on top of the core. Delete a line and its folder to remove one. The first route that matches answers. */
export const features: readonly Feature[] = [
  explorerFeature,
  avatarsFeature,
  pagesFeature,
  mcpFeature,
  feedFeature,
  subgraphFeature,
  webhooksFeature,
];
