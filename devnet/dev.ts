import { join, relative } from "node:path";
import { listContracts } from "../abis/deployments.ts";
import { checkRpcUrls } from "../ops/checks/rpc.ts";
import { keepViews, lookAfterViews } from "../ops/release/keepViews.ts";
import { requirePatchedPonder } from "../patches/applied.js";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { readHasEnsv2, readHasLayer2, readHome } from "../settings/machine.ts";
import { readSettings, type Settings, SettingsError } from "../settings/settings.ts";
import { demoCast } from "./chapters.ts";
import { changeOfAlice } from "./demo.ts";
import { startIndexer } from "./indexer.ts";
import { type OwnChain, readHeads, startOwnChain } from "./ownChain.ts";
import { openOwnDatabase } from "./ownDatabase.ts";
import { ask } from "./ponder.ts";
import { freePort, isFree } from "./ports.ts";
import { say } from "./screen.ts";
import { superviseProcesses } from "./superviseProcesses.ts";
import { webhookKeyFor } from "./webhookKey.ts";
import { type Account, type Welcome, welcomeText } from "./welcome.ts";

// `npm run dev`: all that Namedex needs, on one machine and without settings. What is set is used instead.

const USUAL_API_PORT = 42069;
/** Placeholder for the database, which is started only once the other settings are valid. */
const LATER = "postgresql://later";

type Environment = Record<string, string | undefined>;

requirePatchedPonder();
loadEnvironmentFiles();
const given: Environment = { ...process.env };
const home = readHome(given);
const network = given.ENS_NETWORK || "devnet";
const hasOwnChain = network === "devnet" && !given.RPC_URL_31337;

await superviseProcesses({ home, env: given, open: start });

async function start(): Promise<number> {
  if (!hasOwnChain) await checkRpcUrls(readSettings({ ...given, DATABASE_URL: given.DATABASE_URL || LATER }));
  const plan = { home, hasLayer2: readHasLayer2(given), ensv2: readHasEnsv2(given) };
  await refuseTakenPort(given.PORT);
  const databaseUrl = await openOwnDatabase({
    home,
    given: given.DATABASE_URL,
    name: network,
    isFresh: hasOwnChain,
  });
  const chain = hasOwnChain ? await startOwnChain(plan) : null;
  // Chosen last: another start at the same time has its own by now.
  const port = given.PORT ? Number(given.PORT) : await freePort(USUAL_API_PORT);
  const env: Environment = {
    ...given,
    ...webhookKeyFor(home, given),
    ...chain?.settings,
    DATABASE_URL: databaseUrl,
    PORT: String(port),
  };
  const settings = readSettings(env);
  const heads = chain && (await readHeads(chain));
  const logFile = join(home, "ponder.log");
  env.DATABASE_SCHEMA = settings.schema;
  // No usual one: several checkouts run beside each other.
  env.METRICS_PORT ??= String(await freePort());
  const ponder = await startIndexer({ env, port, logFile, folder: process.cwd(), heads });
  const schema = given.DATABASE_URL ? settings.schema : await showViews(settings);
  const chains =
    chain &&
    [chain.local, ...chain.layer2].map(({ anvil, deployment }) => ({
      name: deployment.name,
      id: anvil.chainId,
      url: anvil.url,
    }));
  const metricsUrl = `http://127.0.0.1:${env.METRICS_PORT}/metrics`;
  const places = { databaseUrl, schema, metricsUrl, logFile: relative("", logFile) };
  const url = ponder.url.replace("127.0.0.1", "localhost");
  const own = chain && (await describeOwn(chain, url));
  const { hasExplorer, hasWebhooks, webhooks } = settings;
  const shown = { hasExplorer, hasWebhooks: hasWebhooks && webhooks.secretKey !== null };
  say(welcomeText({ url, chains, network, ...shown, own, ...places }));
  return ponder.pid;
}

/** What a developer points viem at, and the cast of the demo with the names that Namedex verifies. */
async function describeOwn({ local }: OwnChain, url: string): Promise<Welcome["own"]> {
  const { deployment, chain } = local;
  const registry = listContracts(deployment, "registry", 2)[0]?.address;
  if (registry === undefined || deployment.universalResolver === undefined) return null;
  const accounts = await Promise.all(
    Object.entries(demoCast).map(async ([who, index]): Promise<Account> => {
      const address = chain.accounts[index] ?? "";
      const reply = await ask(`${url}/address/${address}/primary-name`);
      const { primary_name: name = null } = reply?.ok ? ((await reply.json()) as PrimaryName) : {};
      return { who, address, name };
    }),
  );
  const change = changeOfAlice(chain);
  return { registry, universalResolver: deployment.universalResolver, accounts, change };
}

type PrimaryName = { primary_name?: string | null };

/** On our own database: the views of `npm start`, and again after each new index. Gives the schema that has them. */
async function showViews(settings: Settings): Promise<string> {
  const plan = { ...settings, log: { info: () => {}, warn: say } };
  await lookAfterViews(plan);
  keepViews(plan);
  return settings.viewsSchema;
}

/** Without `PORT` the usual one is taken, or the next that is free. Throws when the port asked for is taken. */
async function refuseTakenPort(asked: string | undefined): Promise<void> {
  if (!asked) return;
  const port = Number(asked);
  if (Number.isInteger(port) && !(await isFree(port))) {
    throw new SettingsError(
      `PORT is ${port}, which another program uses: stop it, or choose another port, for example PORT=42070`,
    );
  }
}
