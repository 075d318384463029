import { expectEventsAsLogged } from "./eventsJudge.ts";
import type { Stage } from "./stage.ts";

/** Compares the lists of events of a stage with the logs of its chain. */
export async function expectEventsOfStage({ local, stack }: Pick<Stage, "local" | "stack">): Promise<number> {
  await stack.waitForHead();
  const { name, chainId } = local.deployment;
  return expectEventsAsLogged({
    ask: stack.api,
    chains: [{ name, chainId, rpcUrl: local.anvil.url }],
  });
}
