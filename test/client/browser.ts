import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { chromium } from "playwright-core";

/** Debian's Chromium, or the path in CHROMIUM. */
export const chromiumPath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path !== undefined && existsSync(path),
);
if (chromiumPath === undefined) {
  console.warn("\nNOT TESTED: the client in a real browser, because no Chromium was found. Set CHROMIUM.\n");
}

/** What the page does with the client and shows as JSON. */
const page = `<!doctype html><title>Client</title><script type="module">
import { createNamedex } from "/dist/index.js";
// With a key, the browser first asks whether it may send the header.
const url = new URLSearchParams(location.search).get("url");
const namedex = createNamedex({ url, apiKey: "ens_unused" });
const { name } = await namedex.getWhoisByName({ name: "alice.eth" });
const { summary } = await namedex.whoisMany({ names: ["alice.eth", "grace.eth"] });
const { code } = await namedex.getWhoisByName({ name: "a..b" }).catch((error) => error);
document.title = JSON.stringify({ name, names: summary.total, code });
</script>`;

const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : null);

type Seen = { name: string; names: number; code: string; faults: string[] };

/** Opens a page that loads the package's modules unchanged and asks a Namedex on another host. */
export async function askInBrowser(packageFolder: string, url: string): Promise<Seen> {
  const server = createServer(({ url: path = "/" }, response) => {
    const { pathname } = new URL(path, "http://page");
    const file = join(packageFolder, normalize(pathname));
    const [type, text] = pathname === "/" ? ["text/html", page] : ["text/javascript", read(file)];
    response.writeHead(text === null ? 404 : 200, { "content-type": type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
  try {
    const opened = await browser.newPage();
    opened.setDefaultTimeout(60_000);
    const faults: string[] = [];
    opened.on("pageerror", (error) => faults.push(String(error)));
    opened.on("request", (request) => {
      const isKnown = [origin, url].some((known) => request.url().startsWith(known));
      if (!isKnown) faults.push(request.url());
    });
    await opened.goto(`${origin}/?url=${encodeURIComponent(url)}`);
    await Promise.race([
      opened.waitForFunction("document.title.startsWith('{')"),
      opened.waitForEvent("pageerror").then((error) => Promise.reject(error)),
    ]);
    return { ...JSON.parse(await opened.title()), faults };
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
