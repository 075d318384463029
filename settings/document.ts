import { accessVariables } from "./access.ts";
import { changesVariables } from "./changes.ts";
import { databaseVariables } from "./database.ts";
import { explorerVariables } from "./explorer.ts";
import { freshnessVariables } from "./freshness.ts";
import { gatewayVariables } from "./gateway.ts";
import { labelVariables } from "./labels.ts";
import { logVariables } from "./log.ts";
import { chainLogSource, logSourceVariables } from "./logSource.ts";
import { machineVariables } from "./machine.ts";
import { metricsVariables } from "./metrics.ts";
import { networkVariables } from "./network.ts";
import { paymentVariables } from "./payments.ts";
import { rpcUrlVariable, rpcVariables } from "./rpc.ts";
import { portVariables } from "./settings.ts";
import type { Variable, Variables } from "./variable.ts";
import { verifyVariables } from "./verify.ts";
import { webhookVariables } from "./webhooks.ts";

/** Variables of one subject, under one heading. */
type Group = { title: string; note?: string; variables: Variables };

const ownGatewayVariables = Object.fromEntries(
  Object.entries(gatewayVariables).filter(([name]) => !Object.hasOwn(metricsVariables, name)),
);

export const groups: Group[] = [
  {
    title: "Network",
    variables: {
      ...networkVariables,
      "RPC_URL_<chain id>": rpcUrlVariable,
      ...rpcVariables,
      ...logSourceVariables,
      "LOG_SOURCE_<chain id>": chainLogSource,
    },
  },
  { title: "Database", variables: databaseVariables },
  {
    title: "API",
    variables: {
      ...portVariables,
      ...metricsVariables,
      ...explorerVariables,
      ...freshnessVariables,
      ...verifyVariables,
      ...changesVariables,
      ...webhookVariables,
      ...logVariables,
    },
  },
  {
    title: "Labels",
    note: "[operations.md](operations.md#labels-known-only-by-hash) explains how unknown labels are resolved.",
    variables: labelVariables,
  },
  {
    title: "Public service",
    note: "[access.md](access.md) explains keys, credits and limits.",
    variables: accessVariables,
  },
  {
    title: "Payments",
    note: "Set all of them or none. They need `ACCESS=metered`. [payments.md](payments.md) explains payments.",
    variables: paymentVariables,
  },
  {
    title: "Gateway",
    note: "`npm run gateway` reads only these, `METRICS_PORT`, `METRICS_HOST` and `LOG_FORMAT` ([operations.md](operations.md#the-gateway)).",
    variables: ownGatewayVariables,
  },
  { title: "Machine", variables: machineVariables },
];

const introduction = `# Settings

<!-- Written by \`npm run docs:settings\` from the declarations in settings/. Change those, not this file. -->

For operators: every setting, with its default. Settings are environment variables. Programs read them from the environment,
then from \`.env.local\`, then from \`.env\` in the working directory; the first value found wins. An empty variable counts as
unset. [.env.example](../.env.example) lists them all.

An invalid or missing setting stops the program. The message names the variable, says what is wrong, and gives an example.
`;

/** The text of docs/settings.md. */
export const settingsDocument = (): string => [introduction, ...groups.map(section)].join("\n");

function section({ title, note, variables }: Group): string {
  const rows = Object.entries(variables).map(([name, variable]) => row(name, variable));
  const opening = note === undefined ? [`## ${title}`, ""] : [`## ${title}`, "", note, ""];
  return [...opening, "| Variable | Default | Meaning | Value |", "|---|---|---|---|", ...rows, ""].join(
    "\n",
  );
}

const row = (name: string, { unset, meaning, expected, example }: Variable): string => {
  const isRange = /\bfrom \d+ to \d+/.test(expected);
  const isShown = isRange || unset === `\`${example}\`` || expected.split(/[ ,]+/).includes(example);
  const short = expected.replace(/^(a|an|the) (whole number (of |from )?)?/, "");
  const value = isShown ? short : `${short}, for example \`${example}\``;
  return `| \`${name}\` | ${unset} | ${meaning} | ${value} |`;
};

const exampleIntroduction = `# Copy this file to .env.local and uncomment what you need. \`npm run dev\` needs none of it.
# docs/settings.md explains every setting. Both files are written by \`npm run docs:settings\`.
# Ethereum mainnet needs three: ENS_NETWORK, RPC_URL_1 and DATABASE_URL.
`;

/** The text of .env.example. */
export const exampleFile = (): string => [exampleIntroduction, ...groups.map(exampleSection)].join("\n");

const exampleSection = ({ title, variables }: Group): string =>
  [`# --- ${title} ---`, ...Object.entries(variables).map(exampleOf), ""].join("\n");

/** A file of settings runs no commands, so `$(command)` becomes `<command>`. */
function exampleOf([name, { meaning, example }]: [string, Variable]): string {
  const value = example.replace(/^\$\((.*)\)$/, "<$1>");
  return `# ${plain(firstSentence(meaning))}\n# ${name.replace("<chain id>", "1")}=${value}`;
}

const firstSentence = (meaning: string): string =>
  /^.*?[.;](?=\s|$)/s.exec(meaning)?.[0].replace(/;$/, ".") ?? meaning;

/** Without the marks of Markdown: a link becomes its text. */
const plain = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
