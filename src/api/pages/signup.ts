import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import { toAsset } from "../http/asset.ts";
import { mountFiles, SCRIPT, SHEET } from "./files.ts";
import { escapeHtml, sendPage } from "./html.ts";

/** `open`: everybody can sign up. `closed`: only the operator creates keys. `needless`: no key is needed. */
export type SignupState = "open" | "closed" | "needless";

/** Files that the browser loads unchanged. */
const fromBrowserFolder = (file: string): Buffer =>
  readFileSync(new URL(`./browser/${file}`, import.meta.url));

/** Serves the page where people get a key with their wallet, and see the credits that it has left. */
export function mountSignup(app: Hono, state: SignupState): void {
  app.get("/signup", (c) =>
    sendPage(c, state === "open" ? openPage(new URL(c.req.url).origin) : closedPages[state]),
  );
  mountFiles(app, "/signup", {
    "signup.css": () => toAsset(fromBrowserFolder("signup.css"), SHEET),
    ...(state === "open" && { "signup.js": () => toAsset(fromBrowserFolder("signup.js"), SCRIPT) }),
  });
}

const frame = ({ head = "", body }: { head?: string; body: string }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Namedex: API key</title>
<link rel="icon" href="docs/favicon.png">
<link rel="stylesheet" href="signup/signup.css">${head}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

const links = `<nav aria-label="Documentation">
<a class="first" href="docs">Reference, to try in the browser</a>
<a href="./">About</a>
</nav>`;

const closedPages = {
  needless: frame({
    body: `<h1>No key is needed</h1>
<p class="lead">Access to this service is open: ask it right away.</p>
${links}`,
  }),
  closed: frame({
    body: `<h1>Sign-up is not open here</h1>
<p class="lead">Keys of this service are made by its operator: ask them for one. Without a key, an address has 5 requests a minute.</p>
${links}`,
  }),
};

const openPage = (origin: string): string =>
  frame({
    head: `\n<script type="module" src="signup/signup.js"></script>`,
    body: `<p class="up"><a href="./">Namedex</a></p>
<h1>API key</h1>
<p class="lead">Sign a message with your wallet, and your address gets a key with 1,000 credits, once. A request costs one. Signing costs nothing and moves nothing.</p>
${getSection}
${usageSection}
${commandSection(origin)}`,
  });

const getSection = `<section aria-labelledby="get">
<h2 id="get">Get a key</h2>
<noscript><p class="empty">This page needs JavaScript to speak to a wallet. <a href="#by-hand">It works by hand too.</a></p></noscript>
<div id="wallets" class="wallets"></div>
<div id="no-wallet" class="empty" hidden>
<p><strong>No wallet was found in this browser.</strong></p>
<p>On a computer, install a wallet extension and load this page again. On a phone, open this page in the browser inside your wallet's app. <a href="#by-hand">It works by hand too.</a></p>
</div>
<p id="progress" role="status"></p>
<p id="fault" role="alert"></p>
<div id="made" hidden>
<h3 id="made-title" tabindex="-1">Your key</h3>
<p id="made-note"></p>
<div class="row"><code id="key"></code><button type="button" data-copy="key">Copy key</button></div>
<pre tabindex="0"><code id="example"></code></pre>
<div class="row"><button type="button" class="quiet" data-copy="example">Copy command</button></div>
</div>
<p class="note">Lost your key? Sign again: the new key takes the credits that the old one has left, and the old one ends.</p>
</section>`;

const usageSection = `<section aria-labelledby="left">
<h2 id="left">Credits and usage</h2>
<form id="usage-form">
<label for="usage-key">Your key</label>
<div class="row"><input id="usage-key" type="password" autocomplete="off" spellcheck="false" placeholder="ens_…"><button class="quiet">Show</button></div>
</form>
<p id="usage-fault" role="alert"></p>
<div id="account" aria-live="polite" hidden>
<p class="balance"><strong id="credits"></strong> credits left</p>
<div id="used" class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Day (UTC)</th><th scope="col">Operation</th><th scope="col">Requests</th><th scope="col">Credits</th></tr></thead>
<tbody id="usage"></tbody>
</table></div>
<p id="unused" class="note">Nothing was charged in the last 30 days.</p>
</div>
</section>`;

const commandSection = (origin: string) => `<section aria-labelledby="by-hand">
<h2 id="by-hand">By hand, or by a program</h2>
<pre tabindex="0"><code>${escapeHtml(commands(origin))}</code></pre>
</section>`;

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
