import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerReferred } from "../../devnet/acts.ts";
import { dataUri, png, SVG } from "../avatars/pictures.ts";
import type { Stage } from "../chain/stage.ts";
import { chromiumPath } from "../client/browser.ts";

const HTML = "<!doctype html><script>alert(1)</script>";

/** Names with records written by a stranger, by label. */
const records = {
  pictured: {
    avatar: dataUri(png()),
    name: "Pia Pictured",
    description: "I make pictures.",
    url: "https://pictures.example/",
    location: "Lisbon",
    "com.github": "@pia-pictured",
    "com.twitter": "https://twitter.com/pia",
    "org.telegram": "https://t.me.evil.example/pia",
    "com.discord": "pia#1234",
    "com.linkedin": "../../evil",
    "com.reddit": "https://www.reddit.com@evil.example/user/pia",
  },
  scripted: { avatar: dataUri(SVG, "image/svg+xml") },
  twofaced: { avatar: dataUri(Buffer.concat([png(), Buffer.from(HTML)]), "text/html") },
  bombed: { avatar: dataUri(png(60_000, 60_000)) },
} as const;

/** The first Bitcoin address, as ENSIP-9 stores it. */
const GENESIS = "0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac" as const;

/** Images of names and the head of a name in a real browser, with records written by strangers. */
export function describeAvatars(stageOf: () => Stage): void {
  describe.runIf(chromiumPath)("pictures of names", () => {
    let browser: Browser;
    let page: Page;
    let url: string;
    const foreign: string[] = [];
    const dialogs: string[] = [];
    beforeAll(async () => {
      const { stack, chain, cast } = stageOf();
      url = stack.url;
      for (const [label, texts] of Object.entries(records)) {
        await registerReferred(chain, {
          from: cast.erin,
          label,
          resolver: "resolver5",
          records: [
            ...Object.entries(texts).map(([key, value]) => ({ kind: "text" as const, key, value })),
            { kind: "coin", coinType: 0n, bytes: GENESIS },
          ],
        });
      }
      await stack.waitForHead();
      browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
      page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
      page.setDefaultTimeout(60_000);
      page.on("request", (request) => {
        if (!request.url().startsWith(`${url}/`)) foreign.push(request.url());
      });
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
    });
    afterAll(async () => {
      await browser?.close();
      expect(foreign).toEqual([]);
      expect(dialogs).toEqual([]);
    });

    const picture = (name: string) => fetch(`${url}/avatar/${name}`);

    test("are served from here, as pixels, and can do nothing by themselves", async () => {
      const reply = await picture("pictured.eth");
      expect(reply.headers.get("content-type")).toBe("image/png");
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
      expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'; sandbox");
      expect(reply.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/);
      expect(Buffer.from(await reply.arrayBuffer())).toEqual(png());
      const again = await fetch(`${url}/avatar/pictured.eth`, {
        headers: { "if-none-match": reply.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
    });

    test.each([
      ["scripted.eth", "image/svg+xml"],
      ["bombed.eth", "image/svg+xml"],
      ["not-there.eth", "image/svg+xml"],
      ["twofaced.eth", "image/png"],
    ])("%s is not a page: %s, even if opened directly", async (name, type) => {
      const reply = await picture(name);
      expect(reply.headers.get("content-type")).toBe(type);
      if (type === "image/svg+xml") {
        const text = await reply.text();
        expect(text).toMatch(
          /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox[^>]*><path d="[M0-9hv1z -]*" fill="hsl\(\d+ 60% 50%\)"\/><\/svg>$/,
        );
      }
      await page.goto(`${url}/avatar/${name}`);
      expect(dialogs).toEqual([]);
    });

    test("an invalid name is an error, as for any operation", async () => {
      const reply = await picture("a..b");
      expect([reply.status, ((await reply.json()) as { error: { code: string } }).error.code]).toEqual([
        400,
        "INVALID_NAME",
      ]);
    });

    test("appear in the head of a name whose owner chose them", async () => {
      await page.goto(`${url}/explore/name/pictured.eth`);
      const width = await page.locator(".heading img.picture").evaluate(async (one) => {
        const image = one as unknown as { naturalWidth: number; decode(): Promise<void> };
        // The page is loaded before its image, which is a lazy one.
        await image.decode();
        return image.naturalWidth;
      });
      expect(width).toBe(2);
      const profile = page.getByRole("region", { name: "Profile" });
      expect(await profile.locator(".who").textContent()).toBe("Pia Pictured");
      expect(await profile.textContent()).toContain("I make pictures.");
      const links = await profile
        .locator("a[href]")
        .evaluateAll((all) => all.map((a) => (a as unknown as { href: string }).href));
      expect(links).toEqual([
        "https://pictures.example/",
        "https://x.com/pia",
        "https://github.com/pia-pictured",
      ]);
      expect(
        await page.locator("#addresses ~ dl, section[aria-labelledby=addresses]").first().textContent(),
      ).toContain("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa");
      expect(await page.locator("details.fold[open]").count()).toBe(0);
    });

    test("appear beside the address whose primary name has one, or a drawing if its picture is unavailable", async () => {
      await page.goto(`${url}/explore/search?q=alice`);
      const pictures = page.locator("main .account img.picture");
      expect(await pictures.first().getAttribute("src")).toBe("avatar/alice.eth");
      // Its host does not exist.
      const reply = await picture("alice.eth");
      expect(reply.headers.get("content-type")).toBe("image/svg+xml");
      expect(reply.headers.get("cache-control")).toBe("no-store");
    });

    test("and what other sites show of it names it", async () => {
      const html = await (
        await fetch(`${url}/explore/name/pictured.eth`, { headers: { accept: "text/html" } })
      ).text();
      const meta = (property: string) =>
        new RegExp(`<meta property="${property}" content="([^"]*)"`).exec(html)?.[1];
      expect(meta("og:title")).toBe("pictured.eth");
      expect(meta("og:description")).toMatch(/^I make pictures\. · pictured\.eth is registered/);
      expect(new URL(meta("og:image") ?? "").pathname).toBe("/avatar/pictured.eth");
    });
  });
}
