import { ponder } from "ponder:registry";
import type { AbiEvent } from "viem";
import config from "../../../ponder.config.ts";

type Handle = (args: { event: LoggedEvent; context: unknown }) => Promise<void>;

/** What every log brings. */
export type LoggedEvent = {
  block: { number: bigint; timestamp: bigint };
  transaction: { hash: `0x${string}` };
  log: { address: `0x${string}`; logIndex: number; topics: readonly (`0x${string}` | null)[] };
};

/** Registers one handler for every event that the configuration names. */
export function onEveryEvent(handlerOf: (eventName: string) => Handle): void {
  const on = ponder.on.bind(ponder) as unknown as (name: string, handle: Handle) => void;
  for (const name of eventNames()) on(name, handlerOf(name));
}

/** As Ponder spells them: overloaded events with their arguments. */
function eventNames(): string[] {
  return Object.entries(config.contracts).flatMap(([contract, { abi }]) => {
    const events = (abi as readonly AbiEvent[]).filter((item) => item.type === "event");
    return events.map((event) => {
      const isOverloaded = events.filter(({ name }) => name === event.name).length > 1;
      return `${contract}:${isOverloaded ? spelled(event) : event.name}`;
    });
  });
}

function spelled({ name, inputs }: AbiEvent): string {
  const words = inputs.map((input) => `${input.type}${input.indexed ? " indexed" : ""} ${input.name}`);
  return `${name}(${words.join(", ")})`;
}
