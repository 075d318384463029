import type { Child } from "hono/jsx";
import { Footer, Header } from "../explorer/layout.tsx";

/** A page of the documentation, as its file writes it. */
export type FramedPage = {
  /** Of the window, without the product's name. */
  title: string;
  /** One sentence for search engines and link previews. */
  description: string;
  /** Where it is, from the root of the service: `docs/get_whois_by_name`. */
  path: string;
  body: Child;
  /** Modules that it loads, from that root. It has to work without them. */
  scripts?: readonly string[];
  /** Classic scripts, in their order, from that root. */
  deferred?: readonly string[];
  /** Style sheets that only this page needs, from that root. */
  styles?: readonly string[];
  /** The style of the house, where it is not the reference's. */
  houseStyles?: readonly string[];
};

/** A page in the frame of the explorer: its head, its foot, its style. @param hasExplorer whether its pages are there */
export const framed = async (page: FramedPage, hasExplorer: boolean): Promise<string> =>
  `<!doctype html>${await (<Frame page={page} hasExplorer={hasExplorer} />).toString()}`;

/** The way to the root of the service; all links of a page are relative to it. */
const rootOf = (path: string): string => "../".repeat(path.split("/").length - 1) || "./";

const houseStyles = ["docs/explorer.css", "docs/reference.css"];

const Frame = ({ page, hasExplorer }: { page: FramedPage; hasExplorer: boolean }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <base href={rootOf(page.path)} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${page.title} · Namedex`}</title>
      <meta name="description" content={page.description} />
      <link rel="icon" type="image/svg+xml" href="docs/icon.svg" />
      {[...(page.houseStyles ?? houseStyles), ...(page.styles ?? [])].map((style) => (
        <link rel="stylesheet" href={style} />
      ))}
      {(page.scripts ?? ["docs/explorer.js"]).map((script) => (
        <script type="module" src={script} />
      ))}
      {(page.deferred ?? []).map((script) => (
        <script defer src={script} />
      ))}
    </head>
    <body>
      <a class="skip" href={`${page.path}#main`}>
        Skip to the content
      </a>
      <Header section="reference" network={undefined} hasExplorer={hasExplorer} />
      <main id="main" tabindex={-1}>
        {page.body}
      </main>
      <Footer network={undefined} hasExplorer={hasExplorer} />
    </body>
  </html>
);
