import { demoNames } from "./demo.ts";
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
  databaseUrl: string;
  schema: string;
  /** Of a chain of our own: what viem needs to know of it, and who has unlocked accounts there. */
  own: { registry: string; universalResolver: string; accounts: readonly Account[] } | null;
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
    ...(welcome.own === null ? [] : contractsOf(welcome.own)),
    ...(welcome.chains === null ? [] : namesOfDemo(welcome.chains)),
    ...pagesOf(welcome),
    ...examplesOf(welcome),
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

/** The contracts that viem takes in a chain's `contracts`, and accounts that send without a key. */
const contractsOf = ({ registry, universalResolver, accounts }: NonNullable<Welcome["own"]>): string[] => [
  "",
  styled("bold", "For viem and wallets"),
  "",
  `  ensRegistry           ${registry}`,
  `  ensUniversalResolver  ${universalResolver}`,
  "",
  ...accounts.map(
    ({ who, address, name }) => `  ${who.padEnd(10)} ${address}  ${styled("dim", name ?? "no primary name")}`,
  ),
  `  ${styled("dim", "All accounts are unlocked: eth_sendTransaction needs no key.")}`,
];

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
