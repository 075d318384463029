import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { readHasEnsv2, readHasLayer2, readHome } from "../settings/machine.ts";
import { readSettings } from "../settings/settings.ts";
import type { LocalLayer2 } from "./localChains.ts";
import { startOwnChain } from "./ownChain.ts";
import { openOwnDatabase } from "./ownDatabase.ts";
import { say, styled } from "./screen.ts";
import { superviseProcesses } from "./superviseProcesses.ts";

// `npm run devnet`: the local chain with the demo and a database for it, for contributors who run Ponder themselves.

// Files like .env.local are not read: the database that they name may hold more than a devnet.
const given = process.env;
const home = readHome(given);
const envFile = join(home, "devnet.env");

await superviseProcesses({ home, env: given, open: start });

async function start(): Promise<number> {
  const plan = { home, hasLayer2: readHasLayer2(given), ensv2: readHasEnsv2(given) };
  const databaseUrl = await openOwnDatabase({
    home,
    given: given.DATABASE_URL,
    name: "devnet",
    isFresh: true,
  });
  const { local, layer2, deploymentFile, settings } = await startOwnChain(plan);
  const env = { ...settings, DATABASE_URL: databaseUrl };
  const { schema } = readSettings(env);
  writeFileSync(envFile, environmentText({ ...env, DATABASE_SCHEMA: schema }));
  const { anvil } = local;
  const runWith = (command: string) => styled("cyan", `(set -a; . ${relative("", envFile)}; ${command})`);
  say(`
  RPC URL      ${styled("cyan", anvil.url)}  (chain id ${anvil.chainId}; ten unlocked accounts)${layer2.map(lineOf).join("")}
  Deployment   ${relative("", deploymentFile)}
  Database     ${databaseUrl}  (schema ${schema})
  Settings     ${relative("", envFile)}

${styled("bold", "To run Namedex on it, in another terminal")}

  ${runWith("npx ponder dev")}
  ${runWith("npm start")}

${styled("dim", "Press Ctrl-C to stop the chains and the database.")}`);
  return anvil.pid;
}

function lineOf({ anvil, deployment }: LocalLayer2): string {
  return `\n               ${styled("cyan", anvil.url)}  (${deployment.name}, chain id ${anvil.chainId})`;
}

/** Settings in the form that both a shell and Node's --env-file read. */
function environmentText(settings: Record<string, string>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value.replaceAll("'", "%27")}'`);
  return `# Written by npm run devnet at each start.\n${lines.join("\n")}\n`;
}
