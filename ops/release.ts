import { readDatabaseSettings } from "../settings/settings.ts";
import { asksForHelp, readCommand } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { releaseProgram } from "./release/commands.ts";
import { withConnection } from "./release/connection.ts";
import { NotYetError } from "./release/switch.ts";

// `npm run release`: which index readers are sent to. Exit code 75 means: not yet, ask again later.

const NOT_YET = 75;
const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: asksForHelp(line) ? releaseProgram.usage : null,
    failure: "Nothing was changed.",
    hideIn: [process.stderr],
    codeOf: (error) => (error instanceof NotYetError ? NOT_YET : 1),
  },
  async (env) => {
    const command = readCommand(line, releaseProgram);
    const { viewsSchema, ...settings } = readDatabaseSettings(env);
    const log = (text: string) => console.error(text);
    return {
      text: await withConnection(settings, (connection) => command({ connection, viewsSchema, log })),
    };
  },
);
