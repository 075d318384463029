import { format } from "node:util";
import { levelOfNode } from "./entry.ts";

type Say = (fields: Record<string, unknown>, message: string) => void;

/** What of a log the console needs. */
export type ConsoleLog = { info: Say; warn: Say; error: Say };

/** What modules and libraries say on the console becomes lines of the log, with their level. */
export function sendConsoleTo(log: ConsoleLog): void {
  const say =
    (level: keyof ConsoleLog) =>
    (...words: unknown[]) => {
      const error = words.find((word) => word instanceof Error);
      const message = format(...words.filter((word) => word !== error)).replace(/:\s*$/, "");
      log[(level === "error" && levelOfNode(message)) || level](
        error === undefined ? {} : { error },
        message,
      );
    };
  Object.assign(console, { log: say("info"), info: say("info"), warn: say("warn"), error: say("error") });
}
