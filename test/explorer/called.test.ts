import { jsx } from "hono/jsx";
import { describe, expect, test } from "vitest";
import { gatherNames, MAX_NAMED, NamesContext } from "../../src/api/features/explorer/parts/called.tsx";
import { AddressLink } from "../../src/api/features/explorer/parts/hash.tsx";
import { drawingOf, Identicon } from "../../src/api/features/explorer/parts/identicon.tsx";
import { account } from "../query/rows.ts";

/** Addresses on a page: the link of each. `asked` has the requests for each page. */
async function written(addresses: readonly string[], names: Record<string, string>, hasAvatar = false) {
  const asked: (readonly string[])[] = [];
  const nameOf = gatherNames(async (some) => {
    asked.push(some);
    return new Map(Object.entries(names).map(([address, name]) => [address, { name, hasAvatar }]));
  });
  const links = addresses.map((address) => jsx(AddressLink, { address }));
  const html = String(await jsx(NamesContext.Provider, { value: nameOf }, ...links).toString());
  return { html, asked };
}

describe("addresses of a page", () => {
  test("appear by their primary names, which are read at once", async () => {
    const { html, asked } = await written([account(0xa), account(0xb), account(0xa)], {
      [account(0xa)]: "alice.eth",
    });
    expect(asked).toEqual([[account(0xa), account(0xb)]]);
    expect(html.match(/<bdi class="theirs name">alice\.eth<\/bdi>/g)).toHaveLength(2);
    expect(html).toContain(`href="explore/address/${account(0xa)}" title="${account(0xa)}"`);
    expect(html).toContain('<span class="mono">0x0000…000b</span>');
  });

  test("are looked up in any case, up to a maximum", async () => {
    const many = Array.from({ length: MAX_NAMED + 1 }, (_, i) => account(0x1000 + i));
    const upper = many.map((address) => `0x${address.slice(2).toUpperCase()}`);
    const { html, asked } = await written(upper, { [many[0] ?? ""]: "first.eth" });
    expect(asked).toEqual([many.slice(0, MAX_NAMED)]);
    expect(html).toContain("first.eth");
  });

  test("are not looked up on a page without addresses", async () => {
    expect((await written([], {})).asked).toEqual([]);
  });

  test("a name that looks like an address is shown beside the address", async () => {
    const { html } = await written([account(0xa)], { [account(0xa)]: "0x0000.eth" });
    expect(html).toContain("0x0000.eth");
    expect(html).toContain('<span class="mono">0x0000…000a</span>');
  });

  test("a name is shown as text", async () => {
    const { html } = await written([account(0xa)], { [account(0xa)]: "<b>\u202e.eth" });
    expect(html).toContain("&lt;b&gt;");
    expect(html).toContain("U+202E");
  });
});

describe("the picture of an address", () => {
  test("is the same in any case, differs between addresses, and asks no other host", () => {
    expect(drawingOf("0xABCDEF0000000000000000000000000000000001")).toEqual(
      drawingOf("0xabcdef0000000000000000000000000000000001"),
    );
    const drawn = Array.from({ length: 200 }, (_, i) => JSON.stringify(drawingOf(account(i + 1))));
    expect(new Set(drawn).size).toBeGreaterThan(195);
    const html = String(Identicon({ address: account(1) }));
    expect(html).not.toMatch(/href|url\(|style=|http/);
    expect(html.length).toBeLessThan(600);
  });
});
