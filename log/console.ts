import { format } from "node:util";

type Say = (fields: Record<string, unknown>, message: string) => void;

/** What of a log the console needs. */
export type ConsoleLog = { info: Say; warn: Say; error: Say };

/** Node's own warnings, of a deprecated call for example: it prints them as errors. */
const ofNode = /^\(node:\d+\) /;

/** What modules and libraries say on the console becomes lines of the log, with their level. */
export function sendConsoleTo(log: ConsoleLog): void {
  const say =
    (level: keyof ConsoleLog) =>
    (...words: unknown[]) => {
      const error = words.find((word) => word instanceof Error);
      const message = format(...words.filter((word) => word !== error)).replace(/:\s*$/, "");
      log[level === "error" && ofNode.test(message) ? "warn" : level](
        error === undefined ? {} : { error },
        message,
      );
    };
  Object.assign(console, { log: say("info"), info: say("info"), warn: say("warn"), error: say("error") });
}
