import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestPages } from "../support/app.ts";
import { type Signer, type SignupService, startSignupService } from "./signupService.ts";
import { today, unlessMidnight } from "./today.ts";

let service: SignupService;
beforeAll(async () => {
  service = await startSignupService();
});
afterAll(() => service?.close());

const newAccount = (): Signer => privateKeyToAccount(generatePrivateKey());

describe("GET /signup", () => {
  test.each([
    ["open", "No key is needed"],
    ["metered", "Sign-up is closed"],
  ] as const)("says that nobody can sign up if access is %s", async (access, words) => {
    const pages = createTestPages({ operations: [], access });
    const reply = await pages.request("/signup");
    const html = await reply.text();
    expect([reply.status, html.includes(words), html.includes("signup.js")]).toEqual([200, true, false]);
    expect((await pages.request("/signup/signup.js")).status).toBe(404);
  });

  test("loads nothing from elsewhere and has no inline script or style", async () => {
    const reply = await fetch(`${service.url}/signup`);
    const policy = reply.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    const html = await reply.text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  });

  test("names its other methods if the method is wrong", async () => {
    const reply = await fetch(`${service.url}/signup`, { method: "DELETE" });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST, GET, HEAD, OPTIONS"]);
  });
});

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"]
  .filter((path) => path !== undefined)
  .find(existsSync);

if (executablePath === undefined) {
  console.warn("\nNOT TESTED: /signup in a real browser, because no Chromium was found. Set CHROMIUM.\n");
}

/** What a page offers as a wallet: how it is found, and what it does when asked to sign. */
type Wallet = { account: Signer; by: "EIP-6963" | "window.ethereum"; name?: string; declines?: boolean };

describe.runIf(executablePath)("in a real browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  /** Opens the page and records requests to other hosts and errors. */
  async function open(wallet: Wallet | null, { width = 1_280, url = `${service.url}/signup` } = {}) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
      extraHTTPHeaders: { "X-Forwarded-For": `198.19.0.${++visitors}` },
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith("data:")) {
        faults.push(request.url());
      }
    });
    if (wallet) await inject(page, wallet);
    await page.goto(url, { waitUntil: "networkidle" });
    return { page, faults, close: () => context.close() };
  }

  test.each([
    ["desktop", 1_280],
    ["phone", 390],
  ])("a wallet that announces itself gets a key on a %s", async (_, width) => {
    const account = newAccount();
    const { page, faults, close } = await open({ account, by: "EIP-6963" }, { width });
    await page.getByRole("button", { name: "Sign with Test Wallet" }).click();
    await page.getByRole("heading", { name: "Your key" }).waitFor();
    const key = (await page.locator("#key").textContent()) ?? "";
    expect(key).toMatch(/^ens_[A-Za-z0-9_-]{32}$/);
    expect(await service.keys.find(key)).toMatchObject({ credits: 1_000, isRevoked: false });
    expect(await page.locator("#example").textContent()).toBe(
      `curl -H "X-API-Key: ${key}" "${service.url}/whois/alice.eth"`,
    );
    await page.locator("#account").waitFor();
    expect(await page.locator("#credits").textContent()).toBe("1,000");
    await Promise.all([
      page.getByRole("button", { name: "Copied" }).waitFor(), // It says so for two seconds.
      page.getByRole("button", { name: "Copy key" }).click(),
    ]);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key);
    expect(await page.evaluate("document.activeElement.closest('#made') !== null")).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth > window.innerWidth")).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  test("signing again reports that the old key has ended, under /api too", async () => {
    const account = newAccount();
    const first = String((await service.signUp(account)).body.key);
    const { page, close } = await open({ account, by: "EIP-6963" }, { url: `${service.url}/api/signup` });
    await page.getByRole("button", { name: "Sign with Test Wallet" }).click();
    await page.getByText("It replaces the key that this address had").waitFor();
    expect(await service.keys.find(first)).toMatchObject({ credits: 0, isRevoked: true });
    await close();
  });

  test("a wallet at window.ethereum is found; one that declines gets a message, and can be asked again", async () => {
    const wallet: Wallet = { account: newAccount(), by: "window.ethereum", declines: true };
    const { page, close } = await open(wallet);
    const button = page.getByRole("button", { name: "Sign with your browser's wallet" });
    await button.click();
    await page.getByText("You declined in the wallet.").waitFor();
    wallet.declines = false;
    await button.click();
    await page.getByRole("heading", { name: "Your key" }).waitFor();
    expect(await page.locator("#fault").textContent()).toBe("");
    await close();
  });

  test("a wallet's name is shown as text, whatever it contains", async () => {
    const name = "<img src=x onerror=alert(1)>";
    const { page, faults, close } = await open({ account: newAccount(), by: "EIP-6963", name });
    await page.getByRole("button", { name: `Sign with ${name}` }).waitFor();
    expect(await page.locator("#wallets img[src=x]").count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test("at an address that is not the service's own, the page says where to go before anything is signed", async () => {
    const url = `${service.replicaUrl}/signup`;
    const { page, close } = await open({ account: newAccount(), by: "EIP-6963" }, { url });
    await page.getByRole("button", { name: "Sign with Test Wallet" }).click();
    await page.getByText("Keys of this service are signed for at localhost:1").waitFor();
    await close();
  });

  test("without a wallet, the page says what to do", async () => {
    const { page, faults, close } = await open(null, { width: 390 });
    await page.getByText("No wallet was found in this browser.").waitFor();
    expect(await page.locator("#wallets button").count()).toBe(0);
    await page.getByRole("link", { name: "It works by hand too." }).click();
    expect(page.url()).toContain("#by-hand");
    expect(faults).toEqual([]);
    await close();
  });

  test("credits and usage of a key are shown using only the keyboard", unlessMidnight, async () => {
    const { body } = await service.signUp(newAccount());
    const headers = { "X-API-Key": String(body.key) };
    for (let i = 0; i < 3; i++) await service.ask("/whois/a.eth", { headers });
    const { page, faults, close } = await open({ account: newAccount(), by: "EIP-6963" });
    await page.getByRole("button", { name: "Sign with Test Wallet" }).waitFor();
    const isAtField = () => page.evaluate<boolean>("document.activeElement.id === 'usage-key'");
    for (let i = 0; i < MOST_TABS && !(await isAtField()); i++) await page.keyboard.press("Tab");
    await page.keyboard.type(` ${body.key} `);
    await page.keyboard.press("Enter");
    await page.locator("#usage tr").waitFor();
    expect(await page.locator("#credits").textContent()).toBe("997");
    const cells = await page.locator("#usage td").allTextContents();
    expect(cells).toEqual([today(), "GET /whois/{name}", "3", "3"]);
    expect(faults).toEqual([]);
    await close();
  });

  test.each([
    [`ens_${"a".repeat(32)}`, "The API key is unknown"],
    ["", "Paste your key"],
    ["ключ", "Paste your key"],
  ])("a wrong key (%s) is reported, and shows nothing", async (key, words) => {
    const { page, close } = await open(null);
    await page.getByLabel("Your key").fill(key);
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("alert").getByText(words).waitFor();
    expect(await page.locator("#account").isVisible()).toBe(false);
    await close();
  });
});

/** More links than the page's header has before the field. */
const MOST_TABS = 30;

let visitors = 0;

/** A wallet in the page that really signs, outside of it. */
async function inject(page: Page, wallet: Wallet): Promise<void> {
  await page.exposeFunction("askTestWallet", async (method: string, params: unknown[] = []) => {
    if (method === "eth_requestAccounts") return [wallet.account.address.toLowerCase()];
    if (method !== "personal_sign") return { code: 4200 };
    if (wallet.declines) return { code: 4001 };
    return wallet.account.signMessage({ message: { raw: params[0] as Hex } });
  });
  const { by, name = "Test Wallet" } = wallet;
  await page.addInitScript(`{
    const provider = { request: async ({ method, params }) => {
      const answer = await window.askTestWallet(method, params);
      if (answer.code) throw Object.assign(new Error("no"), answer);
      return answer;
    } };
    const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 2 2'%3E%3Ccircle cx='1' cy='1' r='1' fill='teal'/%3E%3C/svg%3E";
    const detail = { info: { uuid: "1", name: ${JSON.stringify(name)}, icon, rdns: "test" }, provider };
    const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    if (${JSON.stringify(by)} === "window.ethereum") window.ethereum = provider;
    else window.addEventListener("eip6963:requestProvider", announce);
  }`);
}
