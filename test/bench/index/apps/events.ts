import { readdirSync, readFileSync } from "node:fs";
import { ponder } from "ponder:registry";

type Handle = (args: { event: LoggedEvent; context: unknown }) => Promise<void>;

/** What every log brings. */
export type LoggedEvent = {
  block: { number: bigint; timestamp: bigint };
  transaction: { hash: `0x${string}` };
  log: { address: `0x${string}`; logIndex: number; topics: readonly (`0x${string}` | null)[] };
};

/** Registers one handler for every event that Namedex handles: one more, and its logs would not be in the cache. */
export function onEveryEvent(handlerOf: (eventName: string) => Handle): void {
  const on = ponder.on.bind(ponder) as unknown as (name: string, handle: Handle) => void;
  for (const name of eventNames()) on(name, handlerOf(name));
}

/** How handlers are registered, and for which entries of the configuration where the name does not tell. */
const registrations: Record<string, string[]> = {
  "ponder.on": [""],
  onRecord: ["Resolver:", "FoundResolver:"],
  onAdded: ["AddedController:"],
};

function eventNames(): string[] {
  const folder = new URL("../../../../src/indexing/", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const calls = text.matchAll(/\b(ponder\.on|onRecord|onAdded)\(\s*"([^"]+)"/g);
    return [...calls].flatMap(([, by = "", name = ""]) =>
      (registrations[by] ?? []).map((entry) => `${entry}${name}`),
    );
  });
}
