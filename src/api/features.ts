import type { Feature } from "./core/feature.ts";

/** Products on top of the core. Delete a line and its folder to remove one. The first route that matches answers. */
const modules = [
  import("./features/explorer/feature.ts"),
  import("./features/avatars/feature.ts"),
  import("./features/pages/feature.ts"),
  import("./features/mcp/feature.ts"),
  import("./features/feed/feature.ts"),
  import("./features/subgraph/feature.ts"),
  import("./features/webhooks/feature.ts"),
];

export const features: readonly Feature[] = (await Promise.all(modules)).map(({ feature }) => feature);
