import { demoNames } from "./demo.ts";
import { styled } from "./screen.ts";

/** What the screen shows once everything runs; `chainUrl` is null for a public network. */
export type Welcome = {
  url: string;
  chainUrl: string | null;
  network: string;
  databaseUrl: string;
  schema: string;
  logFile: string;
};

const NAME_WIDTH = 18;

/** The short screen after the start: where everything is, what to ask for, and lines to paste. */
export function welcomeText(welcome: Welcome): string {
  return [
    "",
    ...placesOf(welcome),
    ...(welcome.chainUrl === null ? [] : namesOfDemo()),
    ...examplesOf(welcome),
    "",
    styled("dim", "Ctrl-C ends everything. A change of a source file is taken up at once."),
  ].join("\n");
}

function placesOf({ url, chainUrl, network, databaseUrl, schema, logFile }: Welcome): string[] {
  const chain =
    chainUrl === null ? network : `${chainUrl}  (a chain of its own, id 31337, made anew at each start)`;
  return [
    styled("bold", "Namedex is up."),
    "",
    `  API       ${styled("cyan", url)}`,
    `  Chain     ${chain}`,
    `  Tables    psql ${databaseUrl}  (schema ${schema})`,
    `  Log       ${logFile}`,
  ];
}

function namesOfDemo(): string[] {
  const lines = demoNames.map(({ name, meaning }) =>
    name.length <= NAME_WIDTH
      ? `  ${name.padEnd(NAME_WIDTH)} ${styled("dim", meaning)}`
      : `  ${name}\n  ${" ".repeat(NAME_WIDTH)} ${styled("dim", meaning)}`,
  );
  return ["", styled("bold", "Names on this chain"), "", ...lines];
}

function examplesOf({ url, chainUrl }: Welcome): string[] {
  const known = chainUrl !== null;
  const paths = known
    ? [
        "/whois/alice.eth",
        "/whois/sub.wrapped.eth",
        "/whois/grace.eth",
        "/domain/reborn.eth/events",
        "/stats",
      ]
    : ["/stats", "/status", "/whois/vitalik.eth", "/whois/nick.eth", "/domain/vitalik.eth/events"];
  return ["", styled("bold", "To paste"), "", ...paths.map((path) => `  curl -s ${url}${path}`)];
}
