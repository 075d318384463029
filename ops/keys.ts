import { readDatabaseSettings } from "../settings/settings.ts";
import { keysIn } from "../src/api/server/serviceDb/keys.ts";
import { openStore } from "../src/api/server/serviceDb/store.ts";
import { asksForHelp, readCommand } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { keysProgram } from "./keys/commands.ts";

// `npm run keys`: creates, lists and revokes keys in the service's own schema, and grants them credits.

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: asksForHelp(line) ? keysProgram.usage : null,
    failure: "The command failed.",
    hideIn: [process.stderr],
    aboutSettings: "With npm run dev, use the database URL that it prints.",
  },
  async (env) => {
    const command = readCommand(line, keysProgram);
    const { serviceDatabaseUrls: databaseUrl, serviceSchema } = readDatabaseSettings(env);
    const store = openStore({ databaseUrl, schema: serviceSchema });
    try {
      return { text: await command(keysIn(store)) };
    } finally {
      await store.close();
    }
  },
);
