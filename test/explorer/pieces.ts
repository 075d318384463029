import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";

/** Checks for what makes browsers wait until a page is complete. */
const EXPECT_LINK = /<link rel="expect"[^>]*>/;

/** A change to the page in transit, and for how many milliseconds its first half must stay blank; null: until it is drawn. */
type Way = { change: (html: string) => string; patience: number | null };

export const asItIs: Way = { change: (html) => html, patience: 500 };
export const withoutLink: Way = { change: (html) => html.replace(EXPECT_LINK, ""), patience: null };

/** Whether the browser has drawn anything yet: waits for the given time, or, with null, until it has. */
const isShown = (patience: number | null): string =>
  `new Promise((resolve) => {
    new PerformanceObserver(() => resolve(true)).observe({ type: "paint", buffered: true });
    if (${patience} !== null) setTimeout(() => resolve(false), ${patience});
  })`;

/** Forwards requests. It sends the first half of a page, and the second one when `sendRest` is called. */
async function startHalves(origin: string, change: Way["change"]) {
  let sendRest = () => {};
  const server = createServer(async ({ url = "/", headers: { accept = "*/*" } }, response) => {
    const reply = await fetch(`${origin}${url}`, { headers: { accept } });
    const type = reply.headers.get("content-type") ?? "";
    response.writeHead(reply.status, { "content-type": type });
    const text = await reply.text();
    if (!type.startsWith("text/html")) return response.end(text);
    const html = change(text);
    const middle = html.indexOf("<", html.indexOf("<main") + html.length / 2);
    sendRest = () => response.end(html.slice(middle));
    return response.write(html.slice(0, middle));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendRest: () => sendRest(),
    stop: () => void server.close(),
  };
}

/** Opens a page that arrives in two halves. Returns whether it is shown after the first one, and after both. */
export async function openInHalves(browser: Browser, address: string, { change, patience }: Way) {
  const { origin, pathname, search } = new URL(address);
  const halves = await startHalves(origin, change);
  const page = await browser.newPage();
  try {
    await page.goto(`${halves.url}${pathname}${search}`, { waitUntil: "commit" });
    await page.waitForFunction("document.styleSheets.length > 0", null, { polling: 50 });
    const first = await page.evaluate(isShown(patience));
    halves.sendRest();
    const both = await page.evaluate(isShown(null));
    return { first, both };
  } finally {
    await page.close();
    halves.stop();
  }
}
