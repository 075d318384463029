import type { Abi, AbiEvent } from "viem";
import type config from "../../ponder.config.ts";

type Contracts = (typeof config)["contracts"];

/** An event that an entry of Ponder's configuration follows; `key` is what its handler is registered for. */
export type FollowedEvent = { entry: keyof Contracts; key: string; event: AbiEvent };

/** As an ABI in words declares it: so Ponder tells events of one name apart. */
export const declared = ({ name, inputs }: AbiEvent): string =>
  `${name}(${inputs.map((one) => `${one.type}${one.indexed ? " indexed" : ""} ${one.name}`).join(", ")})`;

/** Every event of every entry, without those that its filter leaves out. */
export const followedEvents = (contracts: Contracts): FollowedEvent[] =>
  Object.entries(contracts).flatMap(([entry, contract]) => {
    const { abi, filter } = contract as { abi: Abi; filter?: { event: string } | { event: string }[] };
    const events = abi.filter((item): item is AbiEvent => item.type === "event");
    const only = filter && new Set([filter].flat().map(({ event }) => event));
    return events
      .filter(({ name }) => only?.has(name) ?? true)
      .map((event) => {
        const isOverloaded = events.filter(({ name }) => name === event.name).length > 1;
        const key = `${entry}:${isOverloaded ? declared(event) : event.name}`;
        return { entry: entry as keyof Contracts, key, event };
      });
  });
