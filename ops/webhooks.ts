import { readDatabaseSettings } from "../settings/settings.ts";
import { openStore } from "../src/api/server/serviceDb/store.ts";
import { asksForHelp, readCommand } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { webhooksProgram } from "./webhooks/commands.ts";

// `npm run webhooks`: shows and disables the webhooks of all keys.

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: asksForHelp(line) ? webhooksProgram.usage : null,
    failure: "The command failed.",
    hideIn: [process.stderr],
    aboutSettings: "With npm run dev, use the database URL that it prints.",
  },
  async (env) => {
    const command = readCommand(line, webhooksProgram);
    const { serviceDatabaseUrls: databaseUrl, serviceSchema } = readDatabaseSettings(env);
    const store = openStore({ databaseUrl, schema: serviceSchema });
    try {
      return { text: await command(store) };
    } finally {
      await store.close();
    }
  },
);
