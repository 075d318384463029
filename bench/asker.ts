import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The folder of the generated databases, which all benchmarks of the API share. */
export const DATA = fileURLToPath(new URL("../.namedex/bench", import.meta.url));

/** Asks in a process of its own, one load after the other. */
export type Asker<Load, Seen> = { ask: (load: Load) => Promise<Seen>; stop: () => void };

/**
 * Starts a process that asks: it takes loads as messages, and answers each with `seen`, or with `error`.
 *
 * @param program its file, as a URL
 */
export function startAsker<Load extends object, Seen>(program: URL): Asker<Load, Seen> {
  const child = fork(fileURLToPath(program));
  return {
    ask: async (load) => {
      child.send(load);
      const [answer] = (await once(child, "message")) as [{ seen: Seen } | { error: string }];
      if ("error" in answer) throw new Error(answer.error);
      return answer.seen;
    },
    stop: () => child.disconnect(),
  };
}
