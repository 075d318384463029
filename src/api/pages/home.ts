import { type AccessMode, accessInWords, version } from "../http/openapi.ts";
import type { Unfit } from "../indexState/freshness.ts";
import { escapeHtml } from "./html.ts";
import type { SignupState } from "./signup.ts";

/** The state of the index as the first page shows it. */
export type IndexStatus = {
  network: string;
  /** Why operations on names do not answer; null if they do. */
  unfit: Unfit | null;
  /** How far the backfill is, while it runs. */
  backfill: { percentage: number | null; secondsLeft: number | null } | null;
  indexedBlock: number;
  /** Time of that block, in unix seconds. */
  indexedAt: number;
  access: AccessMode;
  signup: SignupState;
};

/** A name that exists on the network. */
const exampleName = (network: string): string => (network === "mainnet" ? "vitalik.eth" : "alice.eth");

/** The first page for programs. */
export function toHomeJson({ network, unfit, indexedBlock, access, signup }: IndexStatus) {
  return {
    name: "Namedex",
    version,
    description: "An open-source, self-hosted index of the Ethereum Name Service",
    network,
    index: { ready: unfit === null, reason: unfit, block: indexedBlock },
    access: accessInWords[access],
    mcp: "/mcp",
    links: {
      documentation: "/docs",
      openapi: "/openapi.json",
      llms: "/llms.txt",
      llms_full: "/llms-full.txt",
      ...(signup === "open" && { signup: "/signup" }),
      status: "/indexing-status",
      stats: "/stats",
      metrics: "/index-metrics",
    },
    examples: examplesFor(network),
  };
}

function examplesFor(network: string): string[] {
  const name = exampleName(network);
  return [
    `/whois/${name}`,
    `/domain/${name}/records`,
    `/domain/${name}/ownership-history`,
    "/search-domains?q=ali",
    "/stats",
  ];
}

/** The first page for people; `origin` is the origin that they opened. */
export function toHomePage(status: IndexStatus, origin: string): string {
  const curls = examplesFor(status.network).map((path) => `curl -s "${origin}${path}"`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Namedex</title>
<meta name="description" content="An open-source, self-hosted index of the Ethereum Name Service">
<link rel="icon" href="docs/favicon.png">
<link rel="stylesheet" href="home.css">
</head>
<body>
<main>
<h1>Namedex</h1>
<p class="lead">An open-source, self-hosted index of the Ethereum Name Service: who owns a name, until when, what it points to, and how all that came about. JSON over HTTP.</p>
<dl>
<div><dt>Network</dt><dd>${escapeHtml(status.network)}</dd></div>
<div><dt>Index</dt><dd>${writeState(status)}</dd></div>
<div><dt>Block</dt><dd>${status.indexedBlock.toLocaleString("en")}</dd></div>
<div><dt>As of</dt><dd>${writeTime(status.indexedAt)}</dd></div>
<div><dt>Version</dt><dd>${escapeHtml(version)}</dd></div>
</dl>
<nav aria-label="Documentation">
<a class="first" href="docs">Reference, to try in the browser</a>${status.signup === "open" ? '\n<a href="signup">Get a key</a>' : ""}
<a href="openapi.json">OpenAPI 3.1</a>
<a href="llms.txt">llms.txt</a>
<a href="indexing-status">Status</a>
</nav>
<h2>Try it</h2>
<pre tabindex="0"><code>${escapeHtml(curls.join("\n"))}</code></pre>
<h2>Good to know</h2>
<ul>
<li>${escapeHtml(accessInWords[status.access])}</li>
<li>Agents have the same as tools over MCP: <code>/mcp</code>.</li>
<li>Every path works with and without <code>/api</code> in front.</li>
<li>Answers say where they come from: <code>indexed</code>, or <code>live</code> from the chain. Stale ones are never given.</li>
<li>Names are normalised on the way in; a label that nobody knows is shown as <code>[hash]</code>.</li>
</ul>
</main>
</body>
</html>
`;
}

const states: Record<Unfit, string> = {
  building: "being built",
  catching_up: "catching up after a restart",
  late: "behind the chain",
  failing: "trying a block again that could not be indexed",
};

function writeState({ unfit, backfill }: IndexStatus): string {
  if (unfit === null) return "ready";
  const { percentage = null, secondsLeft = null } = backfill ?? {};
  const done = percentage === null ? "" : `, ${percentage} %`;
  const left = secondsLeft === null ? "" : `, about ${writeDuration(secondsLeft)} left`;
  return `${states[unfit]}${done}${left}`;
}

const writeDuration = (seconds: number): string => {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
};

const writeTime = (seconds: number): string =>
  seconds === 0 ? "not yet" : `${new Date(seconds * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Style of the first page. */
export const homeStyle = `
:root { color-scheme: light dark; --ink: #14213d; --soft: #4a5672; --line: #d8deea; --ground: #fff; --box: #f4f6fb; --link: #1a4fd0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf8; --soft: #a9b4cc; --line: #2b3650; --ground: #0f1626; --box: #182136; --link: #9cbcff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4.5rem) 1.25rem; }
h1 { margin: 0; font-size: clamp(2.2rem, 8vw, 3.4rem); letter-spacing: -0.03em; line-height: 1.1; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.15rem; }
.lead { margin: 0.75rem 0 2rem; font-size: 1.15rem; color: var(--soft); }
dl { display: flex; flex-wrap: wrap; gap: 0.75rem 2.25rem; margin: 0 0 2rem; padding: 1rem 0; border: solid var(--line); border-width: 1px 0; }
dt { font-size: 0.8rem; color: var(--soft); }
dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
nav { display: flex; flex-wrap: wrap; gap: 0.6rem; }
nav a { padding: 0.5rem 0.95rem; border: 1px solid var(--line); border-radius: 0.5rem; text-decoration: none; }
nav .first { background: var(--ink); border-color: var(--ink); color: var(--ground); }
a { color: var(--link); }
a:focus-visible, pre:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--box); border-radius: 0.5rem; font-size: 0.88rem; line-height: 1.9; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
ul { margin: 0; padding-left: 1.2rem; color: var(--soft); }
`;
