import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { assetUrl } from "./assets.ts";
import type { Page, Section } from "./page.ts";
import { Answered } from "./parts/answered.tsx";
import { gatherNames, NamesContext, type ReadNames } from "./parts/called.tsx";
import { Icon } from "./parts/icon.tsx";
import { type Outside, OutsideContext } from "./parts/outside.ts";
import type { IndexingStatus } from "./replies.ts";
import type { Asked } from "./visit.ts";

export type LayoutProps = {
  page: Page;
  asked: readonly Asked[];
  status: IndexingStatus | null;
  readNames: ReadNames;
  outside: Outside;
  /** Whether the search box asks for names while a word is written: each question is a request of the visitor's. */
  suggests: boolean;
  /** The way from this page to the root of the service: `../../`. It holds at `/x`, at `/api/x` and behind a proxy. */
  root: string;
  /** Path and query of this page, from that root. */
  path: string;
  /** Where the service is reached: `https://names.example.org`. */
  origin: string;
};

/** The whole document. All links of pages are relative to the root of the service, which `<base>` names. */
export const layout = async (props: LayoutProps): Promise<string> =>
  `<!doctype html>${await (<Document {...props} />).toString()}`;

const Document = (props: LayoutProps) => (
  <html lang="en">
    <Head {...props} />
    <body {...(props.suggests && { "data-suggests": "" })}>
      <a class="skip" href={`${props.path}#main`}>
        Skip to content
      </a>
      <Header
        section={props.page.section}
        network={props.status?.network}
        hasExplorer
        {...(props.page.hasSearchBox && { hasOwnSearchBox: true })}
      />
      <main id="main" tabindex={-1}>
        <OutsideContext.Provider value={props.outside}>
          <NamesContext.Provider value={gatherNames(props.readNames)}>
            {props.page.body}
          </NamesContext.Provider>
        </OutsideContext.Provider>
      </main>
      <Answered asked={props.asked} status={props.status} />
      <Footer network={props.status?.network} hasExplorer />
      <span id={END} hidden />
    </body>
  </html>
);

/** The last element of a page, empty: a browser takes it for whole at its first tag. */
const END = "end";

/**
 * A page comes in pieces, and what is shown of it moves with each further one. Browsers that know this link show it once it
 * is whole. Hono's JSX leaves `blocking` out, so it is written as text.
 */
const showWhole = (path: string) => html`<link rel="expect" href="${path}#${END}" blocking="render">`;

const Head = ({ page, root, path, origin }: LayoutProps) => (
  <head>
    <meta charset="utf-8" />
    <base href={root} />
    {showWhole(path)}
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>{page.title === "" ? "Namedex: explore ENS" : `${page.title} · Namedex`}</title>
    <meta name="description" content={page.description} />
    <link rel="canonical" href={`${origin}/${page.canonical}`} />
    {page.preview && (
      <>
        <meta property="og:site_name" content="Namedex" />
        <meta property="og:type" content="website" />
        <meta property="og:title" content={page.title} />
        <meta property="og:description" content={page.preview.description} />
        <meta property="og:url" content={`${origin}/${page.canonical}`} />
        {page.preview.image !== null && (
          <meta property="og:image" content={`${origin}/${page.preview.image}`} />
        )}
        <meta name="twitter:card" content="summary" />
      </>
    )}
    {page.status !== undefined && page.status >= 400 && <meta name="robots" content="noindex" />}
    <link rel="icon" type="image/svg+xml" href={assetUrl("icon.svg")} />
    {["explorer.css", ...(page.styles ?? [])].map((style) => (
      <link rel="stylesheet" href={assetUrl(style)} />
    ))}
    {["explorer.js", ...(page.scripts ?? [])].map((script) => (
      <script type="module" src={assetUrl(script)} />
    ))}
  </head>
);

type Link = { path: string; label: string };
type SectionLink = Link & { section: Section };

/** The navigation. A page of a new part has a line here. */
const links: readonly SectionLink[] = [
  { section: "search", path: "explore/search", label: "Names" },
  { section: "drops", path: "explore/drops", label: "Drops" },
  { section: "watch", path: "explore/watch", label: "Watched" },
  { section: "agents", path: "explore/agents", label: "Agents" },
  { section: "statistics", path: "explore/statistics", label: "Statistics" },
  { section: "status", path: "explore/status", label: "Status" },
];

type HeaderProps = {
  section: Section | "reference" | undefined;
  network: string | undefined;
  /** Whether the explorer's pages are served: the reference exists without them too. */
  hasExplorer: boolean;
  /** True if the page has the search box in its body. */
  hasOwnSearchBox?: true;
};

/** The head of every page: where one is, a search box, and the parts of the explorer. */
export const Header = ({ section, network, hasExplorer, hasOwnSearchBox }: HeaderProps) => (
  <header class="top">
    <div class="bar">
      <a class="brand" href="./">
        <Icon name="logo" />
        Namedex
        {network !== undefined && network !== "mainnet" && <span class="network">{network}</span>}
      </a>
      {hasExplorer && !hasOwnSearchBox && <SearchBox />}
      <nav aria-label={hasExplorer ? "Explorer" : "Pages"}>
        {(hasExplorer ? links : []).map((link) => (
          <NavLink {...link} isCurrent={link.section === section} />
        ))}
        <NavLink path="docs" label="API" isCurrent={section === "reference"} />
      </nav>
    </div>
  </header>
);

const NavLink = ({ path, label, isCurrent }: Link & { isCurrent: boolean }) => (
  <a href={path} {...(isCurrent && { "aria-current": "page" as const })}>
    {label}
  </a>
);

type SearchBoxProps = { isLarge?: true; hint?: Child; typed?: string | undefined };

/** One box for all that can be looked up; `/explore/go` decides what it is. `typed` is what a visitor typed before. */
export const SearchBox = ({ isLarge, hint, typed }: SearchBoxProps) => (
  <search class={isLarge ? "find large" : "find"}>
    <form action="explore/go" method="get">
      <label class="unseen" for={isLarge ? "find-large" : "find"}>
        Name, address, hash or agent
      </label>
      <input
        id={isLarge ? "find-large" : "find"}
        name="q"
        type="search"
        maxlength={1_100}
        placeholder={isLarge ? "Name or address" : "Search"}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        required
        {...(typed !== undefined && { value: typed })}
        {...(!isLarge && { "aria-keyshortcuts": "/" })}
      />
      <button type="submit" aria-label="Search">
        <Icon name="search" />
        {isLarge && <span>Search</span>}
      </button>
    </form>
    {hint}
  </search>
);

type FooterProps = Pick<HeaderProps, "network" | "hasExplorer">;

/** The foot of every page. */
export const Footer = ({ network, hasExplorer }: FooterProps) => (
  <footer>
    <p>Namedex{network !== undefined && <> · index of {network}</>}</p>
    <p>
      <a href="docs">Reference</a> <a href="openapi.json">OpenAPI</a> <a href="llms.txt">llms.txt</a>{" "}
      <a href={hasExplorer ? "explore/status" : "indexing-status"}>Status</a>
    </p>
    <p>Names and records are written by their owners and are not verified.</p>
  </footer>
);
