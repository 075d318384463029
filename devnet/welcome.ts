import { demoNames, timePlace } from "./demo.ts";
import { basenames } from "./demoBase.ts";
import { styled } from "./screen.ts";

/** A local chain, and where it is. */
type LocalPlace = { name: string; id: number; url: string };

/** What the screen shows once everything runs; `chains` is null for a public network, else the main chain comes first. */
export type Welcome = {
  url: string;
  chains: LocalPlace[] | null;
  network: string;
  hasExplorer: boolean;
  hasWebhooks: boolean;
  databaseUrl: string;
  schema: string;
  /** Of a chain of our own: what viem needs to know of it, its unlocked accounts, and a transaction that one of them can send. */
  own: {
    registry: string;
    universalResolver: string;
    accounts: readonly Account[];
    change: { from: string; to: string; data: string };
  } | null;
  metricsUrl: string;
  logFile: string;
};

/** An unlocked account of the local chain, with its primary name. */
export type Account = { who: string; address: string; name: string | null };

const NAME_WIDTH = 18;

/** The short screen after the start: where everything is, what to ask for, and lines to paste. */
export function welcomeText(welcome: Welcome): string {
  return [
    "",
    ...placesOf(welcome),
    ...setupOf(welcome),
    ...(welcome.chains === null ? [] : namesOfDemo(welcome.chains)),
    ...pagesOf(welcome),
    ...examplesOf(welcome),
    ...changesOf(welcome),
    "",
    styled("dim", "Ctrl-C ends everything. A change of a source file is taken up at once."),
  ].join("\n");
}

function placesOf(welcome: Welcome): string[] {
  const { url, chains, network, hasExplorer, databaseUrl, schema, metricsUrl, logFile } = welcome;
  const [chain = network, ...others] = (chains ?? []).map(lineOf);
  return [
    styled("bold", "Namedex is up."),
    "",
    ...(hasExplorer ? [`  Explorer  ${styled("cyan", `${url}/`)}`] : []),
    `  Reference ${styled("cyan", `${url}/docs`)}  (every operation, to try)`,
    `  Agents    ${styled("cyan", `${url}/mcp`)}  (MCP: claude mcp add --transport http namedex ${url}/mcp)`,
    `  API       ${styled("cyan", url)}`,
    `  Chain     ${chain}`,
    ...others.map((other) => `            ${other}`),
    `  Tables    psql ${databaseUrl}  (schema ${schema})`,
    `  Metrics   ${metricsUrl}`,
    `  Log       ${logFile}`,
  ];
}

/** A client of viem for the chain, and accounts that send without a key. */
function setupOf({ chains, own }: Welcome): string[] {
  const chain = chains?.[0];
  if (chain === undefined || own === null) return [];
  return [
    "",
    styled("bold", "For viem and wallets"),
    "",
    `  import { createPublicClient, defineChain, http } from "viem";`,
    `  const contracts = { ensRegistry: { address: "${own.registry}" }, ensUniversalResolver: { address: "${own.universalResolver}" } } as const;`,
    `  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };`,
    `  const chain = defineChain({ id: ${chain.id}, name: "${chain.name}", nativeCurrency, rpcUrls: { default: { http: ["${chain.url}"] } }, contracts });`,
    "  const client = createPublicClient({ chain, transport: http() });",
    "",
    ...own.accounts.map(
      ({ who, address, name }) =>
        `  ${who.padEnd(10)} ${address}  ${styled("dim", name ?? "no primary name")}`,
    ),
    `  ${styled("dim", "All accounts are unlocked: eth_sendTransaction needs no key.")}`,
  ];
}

const lineOf = ({ name, id, url }: LocalPlace, index: number): string =>
  `${url}  (${index === 0 ? "a chain of its own" : name}, id ${id}, new at each start)`;

/** Basenames' story has many more names: one of them, to try. */
const BASENAME = "alice";

function namesOfDemo(chains: readonly LocalPlace[]): string[] {
  const onBase = hasBase(chains)
    ? [{ name: `${BASENAME}.base.eth`, meaning: `on Base: ${basenames[BASENAME]}` }]
    : [];
  const lines = [...demoNames, ...onBase].map(({ name, meaning }) =>
    name.length <= NAME_WIDTH
      ? `  ${name.padEnd(NAME_WIDTH)} ${styled("dim", meaning)}`
      : `  ${name}\n  ${" ".repeat(NAME_WIDTH)} ${styled("dim", meaning)}`,
  );
  return ["", styled("bold", `Names on ${chains.length > 1 ? "these chains" : "this chain"}`), "", ...lines];
}

const hasBase = (chains: readonly LocalPlace[]): boolean => chains.some(({ name }) => name === "base");

/** Pages that show most of what there is. */
function pagesOf({ url, chains, hasExplorer }: Welcome): string[] {
  if (!hasExplorer) return [];
  const pages: [path: string, shows: string][] = [
    [
      `/explore/name/${chains ? "alice.eth" : "vitalik.eth"}`,
      "a name: owner, expiry, price, records, history",
    ],
    ["/explore/drops", "names that drop this week"],
    ["/explore/statistics", "sales, prices, expiries, holders"],
    ["/explore/watch", "names that you watch, kept in your browser"],
  ];
  const width = Math.max(...pages.map(([path]) => url.length + path.length));
  const lines = pages.map(([path, shows]) => `  ${`${url}${path}`.padEnd(width)} ${styled("dim", shows)}`);
  return ["", styled("bold", "Worth a look"), "", ...lines];
}

function examplesOf({ url, chains }: Welcome): string[] {
  const paths = chains
    ? [
        "/whois/alice.eth",
        "/whois/sub.wrapped.eth",
        "/whois/grace.eth",
        "/domain/reborn.eth/events",
        ...(hasBase(chains) ? [`/whois/${BASENAME}.base.eth`] : []),
        "/stats",
      ]
    : ["/stats", "/status", "/whois/vitalik.eth", "/whois/nick.eth", "/domain/vitalik.eth/events"];
  return ["", styled("bold", "To paste"), "", ...paths.map((path) => `  curl -s ${url}${path}`)];
}

/** The time as a text in hexadecimal, between two texts in single quotes. */
const NOW = `'"$(date +%s | sed 's/./3&/g')"'`;

/** A change on the chain and where it is seen. */
function changesOf({ url, chains, own, hasWebhooks, databaseUrl }: Welcome): string[] {
  const chain = chains?.[0];
  if (chain === undefined || own === null) return [];
  const request = { jsonrpc: "2.0", id: 1, method: "eth_sendTransaction", params: [own.change] };
  const body = JSON.stringify(request).replace(timePlace, () => NOW);
  return [
    "",
    `${styled("bold", "To change something")} (the text "status" of alice.eth, to the time), and to see the change`,
    "",
    `  curl -s ${chain.url} -H 'content-type: application/json' -d '${body}'`,
    `  curl -s ${url}/changes`,
    ...(hasWebhooks
      ? [`  DATABASE_URL=${databaseUrl} npm run -s keys -- create ${styled("dim", " # a key for webhooks")}`]
      : []),
  ];
}
