import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ponder } from "ponder:registry";

type Handle = (args: { event: LoggedEvent; context: unknown }) => Promise<void>;

/** What every log brings. */
export type LoggedEvent = {
  block: { number: bigint; timestamp: bigint };
  log: {
    address: `0x${string}`;
    logIndex: number;
    topics: readonly (`0x${string}` | null)[];
    transactionHash: `0x${string}`;
  };
};

/** The handlers that Ponder's registry has. */
const { fns } = ponder as unknown as { fns: { name: string; fn: Handle }[] };

/** Puts one handler in the place of each of Namedex's: with one event more, its logs would not be in the cache. */
export async function onEveryEvent(handlerOf: (eventName: string) => Handle): Promise<void> {
  const folder = fileURLToPath(new URL("../../../src/indexing/", import.meta.url));
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  for (const file of files) await import(`${folder}${file}`);
  if (fns.length === 0) throw new Error(`No handler is registered by the files of ${folder}`);
  for (const registered of fns) registered.fn = handlerOf(registered.name);
}
