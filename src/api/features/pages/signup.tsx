import type { Hono } from "hono";
import type { Child } from "hono/jsx";
import { Card } from "../explorer/parts/card.tsx";
import { fromBrowserFolder, mountFiles, SCRIPT, SHEET } from "./files.ts";
import { type FramedPage, framed } from "./frame.tsx";
import { sendPage } from "./html.ts";

/** `open`: everybody can sign up. `closed`: only the operator creates keys. `needless`: no key is needed. */
export type SignupState = "open" | "closed" | "needless";

type SignupPlan = { state: SignupState; hasExplorer: boolean; publicUrl: string | undefined };

/** Serves the page where people get a key with their wallet, and see the credits that it has left. */
export function mountSignup(app: Hono, { state, hasExplorer, publicUrl }: SignupPlan): void {
  app.get("/signup", async (c) => {
    const origin = publicUrl ?? new URL(c.req.url).origin;
    return sendPage(c, await framed(state === "open" ? openPage(origin) : closedPages[state], hasExplorer));
  });
  mountFiles(app, "/signup", {
    "signup.css": () => fromBrowserFolder("signup.css", SHEET),
    ...(state === "open" && { "signup.js": () => fromBrowserFolder("signup.js", SCRIPT) }),
  });
}

const pageOf = (body: Child): FramedPage => ({
  title: "API key",
  description: "A key for the API of this Namedex, for a message signed with a wallet.",
  path: "signup",
  styles: ["signup/signup.css"],
  body,
});

type WithoutProps = { title: string; says: string };

/** What stands where no one can sign up. */
const Without = ({ title, says }: WithoutProps) => (
  <div class="heading">
    <h1>{title}</h1>
    <p class="lead">{says}</p>
    <p class="actions">
      <a class="button first" href="docs">
        API reference
      </a>
      <a class="button" href="./">
        First page
      </a>
    </p>
  </div>
);

const closedPages = {
  needless: pageOf(
    <Without title="No key is needed" says="Access to this service is open: send requests right away." />,
  ),
  closed: pageOf(
    <Without
      title="Sign-up is closed"
      says="The operator of this service issues its keys: ask for one. Without a key, an address has 5 requests a minute."
    />,
  ),
};

const openPage = (origin: string): FramedPage => ({
  ...pageOf(
    <>
      <div class="heading">
        <h1>API key</h1>
        <p class="lead">
          Sign a message with your wallet, and your address gets a key with 1,000 credits, once. A request
          costs one. Signing costs nothing and moves nothing.
        </p>
      </div>
      <GetKey />
      <Usage />
      <Card id="by-hand" title="By hand, or by a program">
        <section class="scroll" tabindex={0} aria-labelledby="by-hand">
          <pre>
            <code>{commands(origin)}</code>
          </pre>
        </section>
      </Card>
    </>,
  ),
  scripts: ["docs/explorer.js", "signup/signup.js"],
});

const ByHand = () => <a href="signup#by-hand">It works by hand too.</a>;

const GetKey = () => (
  <Card id="get" title="Get a key">
    <noscript>
      <p class="empty">
        This page needs JavaScript to speak to a wallet. <ByHand />
      </p>
    </noscript>
    <div id="wallets" class="wallets" />
    <div id="no-wallet" class="empty" hidden>
      <p>
        <strong>No wallet was found in this browser.</strong>
      </p>
      <p>
        On a computer, install a wallet extension and load this page again. On a phone, open this page in the
        browser inside your wallet's app. <ByHand />
      </p>
    </div>
    <p id="progress" role="status" />
    <p id="fault" role="alert" />
    <div id="made" hidden>
      <h3 id="made-title" tabindex={-1}>
        Your key
      </h3>
      <p id="made-note" />
      <div class="row">
        <code id="key" />
        <button type="button" data-of="key">
          Copy key
        </button>
      </div>
      <pre tabindex={0}>
        <code id="example" />
      </pre>
      <div class="row">
        <button type="button" data-of="example">
          Copy command
        </button>
      </div>
    </div>
    <p class="faint">
      Lost your key? Sign again: the new key takes the credits that the old one has left, and the old one
      ends.
    </p>
  </Card>
);

const Usage = () => (
  <Card id="left" title="Credits and usage">
    <form id="usage-form">
      <label for="usage-key">Your key</label>
      <div class="row">
        <input id="usage-key" type="password" autocomplete="off" spellcheck={false} placeholder="ens_…" />
        <button type="submit">Show</button>
      </div>
    </form>
    <p id="usage-fault" role="alert" />
    <div id="account" aria-live="polite" hidden>
      <p class="balance">
        <strong id="credits" /> credits left
      </p>
      <section id="used" class="scroll" tabindex={0} aria-label="Charges">
        <table>
          <thead>
            <tr>
              {["Day (UTC)", "Operation", "Requests", "Credits"].map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody id="usage" />
        </table>
      </section>
      <p id="unused" class="faint">
        Nothing was charged in the last 30 days.
      </p>
    </div>
  </Card>
);

const commands = (origin: string) => `# 1. Ask for the message of your address.
curl -s "${origin}/signup/nonce" \\
  -H "Content-Type: application/json" \\
  -d '{"address": "0x..."}'

# 2. Sign its "message" with any wallet (personal_sign), within 5 minutes.

# 3. Send both, for the key.
curl -s "${origin}/signup" \\
  -H "Content-Type: application/json" \\
  -d '{"message": "...", "signature": "0x..."}'

# What is left:
curl -s "${origin}/signup/usage" -H "X-API-Key: ens_..."`;
