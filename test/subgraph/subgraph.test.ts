// Also runs as: long
import { afterAll, beforeAll, describe } from "vitest";
import { closeSubgraphStage, openSubgraphStage } from "./stage.ts";

/** All sections share one chain and one index, because starting these takes longer than asking. */
const sections: Record<string, () => Promise<unknown>> = {
  "the state of names": () => import("./sections/state.ts"),
  events: () => import("./sections/events.ts"),
  "conventions of graph-node": () => import("./sections/conventions.ts"),
  "random lists": () => import("./sections/random.ts"),
  "what existing programs ask": () => import("./sections/clients.ts"),
  "the page with GraphiQL": () => import("./sections/graphiql.ts"),
  "the published client, ensjs": () => import("./sections/ensjs.ts"),
  // These come last, because they change what the others expect.
  "past blocks": () => import("./sections/past.ts"),
  "records of a contract that only emits": () => import("./sections/emitted.ts"),
};

beforeAll(openSubgraphStage);
afterAll(closeSubgraphStage);

for (const [name, load] of Object.entries(sections)) {
  describe(name, async () => void (await load()));
}
