import type { Child } from "hono/jsx";
import type { ApiError } from "../../server/errors/errors.ts";

/** The parts of the explorer that the navigation names. */
export type Section = "search" | "drops" | "watch" | "agents" | "statistics" | "status";

/** A page, as a page's file writes it; the layout puts it into a document. */
export type Page = {
  /** Of the window, without the product's name. */
  title: string;
  /** One sentence for search engines and link previews. */
  description: string;
  /** Path and query that name this page best, from the root of the service: `explore/agents`. */
  canonical: string;
  /** What the navigation shows as the present part. */
  section?: Section;
  /** What other sites show of the page where someone links to it: a sentence, and a picture by its path. */
  preview?: { description: string; image: string | null };
  body: Child;
  /** True if the page has the search box in its body. */
  hasSearchBox?: true;
  /** Modules of `browser/` that this page loads. It has to work without them. */
  scripts?: readonly string[];
  /** Style sheets of `browser/` that only this page needs. */
  styles?: readonly string[];
  /** 200 if left out. */
  status?: number;
};

/** One request of a visitor. */
export type Visit = {
  /** A parameter of the path, decoded; empty if the path lacks it. */
  param: (name: string) => string;
  /** A parameter of the query; undefined if it is absent or empty. */
  query: (name: string) => string | undefined;
  /**
   * Answers as the operation of this path answers the visitor over HTTP. Parameters are given as texts, as a URL has them.
   *
   * @throws ApiError with the code that HTTP would give
   * @example
   * const whois = await visit.ask<Whois>("/whois/{name}", { name: "alice.eth" });
   */
  ask: <Reply>(path: string, given?: Given) => Promise<Reply>;
  /** The same for a bulk operation, whose items are in the body. */
  askMany: <Reply>(path: string, given: Record<string, unknown>) => Promise<Reply | ApiError>;
  /** The same for a part that a page can be without. */
  tryAsk: <Reply>(path: string, given?: Given) => Promise<Reply | ApiError>;
  /** Who is answered, and what a request costs, in a sentence. */
  access: string;
  /** Whether pictures of names are shown. */
  hasAvatars: boolean;
  /** Whether agents have tools at `/mcp`. */
  hasMcp: boolean;
  /** Whether requests are metered, so that a key is useful. */
  isMetered: boolean;
  /** Whether the visitor's browser sent a key. */
  hasKey: boolean;
  /** Whether visitors can get a key of their own, at `signup`. */
  hasSignup: boolean;
  /** Time of the newest indexed block, in unix seconds. What a page calls now is this. */
  now: () => Promise<number>;
  /** The indexed network (`ENS_NETWORK`); null if unknown. */
  network: () => Promise<string | null>;
  /** The indexed chains, as answers name them. */
  chains: () => Promise<readonly string[]>;
};

export type Given = Record<string, string | undefined>;

/** A page of the explorer: where it is, and how it is made. A response is sent as it is. */
export type ExplorerPage = {
  /** Path as Hono writes it: `/explore/name/:name`. */
  path: string;
  render: (visit: Visit) => Promise<Page | Response>;
};
