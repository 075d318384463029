import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Avatars, type AvatarsPlan, createAvatars } from "../../src/api/features/avatars/avatars.ts";
import { AT_ONCE, MAX_BYTES, WAITING } from "../../src/api/features/avatars/bounds.ts";
import { resolving } from "../outgoing/refusedUrls.ts";
import { dataUri, gif, png, SVG } from "./pictures.ts";

/** An image host on the loopback address that answers as each test says. */
let server: Server;
let here = "";
let visits: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => {
    visits.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const opened: Avatars[] = [];
afterEach(async () => {
  visits = [];
  answer = (_, response) => response.end(png());
  await Promise.all(opened.splice(0).map((avatars) => avatars.close()));
});
answer = (_, response) => response.end(png());

function open(plan: Partial<AvatarsPlan> = {}): Avatars {
  const avatars = createAvatars({
    ownHosts: [],
    allowLoopback: true,
    ipfsGateway: null,
    chain: () => null,
    takeTurn: async () => {},
    ...plan,
  });
  opened.push(avatars);
  return avatars;
}

const find = (text: string, plan: Partial<AvatarsPlan> = {}, avatars = open(plan)) =>
  avatars
    .find({ text, holder: null }, "a caller")
    .then((found) => (typeof found === "string" ? found : found.type));

describe("the image of a record", () => {
  test("comes from the record, a host or the gateway", async () => {
    expect(await find(dataUri(png()))).toBe("image/png");
    expect(await find(`${here}/1.png`)).toBe("image/png");
    expect(await find("ipfs://bafyabc/dir/1.png", { ipfsGateway: `${here}/gateway` })).toBe("image/png");
    expect(await find("ipns://example.eth", { ipfsGateway: `${here}/` })).toBe("image/png");
    expect(visits).toEqual(["/1.png", "/gateway/ipfs/bafyabc/dir/1.png", "/ipns/example.eth"]);
  });

  test("has the type of its bytes, whatever type the host claims", async () => {
    answer = (_, response) => response.setHeader("content-type", "text/html").end(gif([2, 2]));
    expect(await find(`${here}/x.svg`)).toBe("image/gif");
    expect(await find(dataUri(gif([2, 2]), "text/html"))).toBe("image/gif");
  });

  test.each([
    ["SVG with a script", SVG],
    ["a page", "<!doctype html><script>alert(1)</script>"],
    ["a PNG of 4 gigapixels", png(65_535, 65_535)],
  ])("%s is rejected", async (_, content) => {
    answer = (_, response) => response.setHeader("content-type", "image/png").end(content);
    expect(await find(`${here}/1`)).toBe("none");
    expect(await find(dataUri(Buffer.from(content)))).toBe("none");
    expect(await find("ipfs://bafyabc", { ipfsGateway: here })).toBe("none");
  });

  test("is missing on IPFS without a gateway, and after an error of the host", async () => {
    expect(await find("ipfs://bafyabc")).toBe("none");
    answer = (_, response) => response.writeHead(404).end(png());
    expect(await find(`${here}/1`)).toBe("none");
    expect(visits).toEqual(["/1"]);
  });
});

describe("a malicious host", () => {
  test("that redirects to a private host is not followed", async () => {
    answer = (request, response) =>
      request.url === "/secret"
        ? response.end(png())
        : response.writeHead(302, { location: `${here}/secret` }).end();
    expect(await find(`${here}/1`)).toBe("unknown");
    expect(await find("ipfs://bafyabc", { ipfsGateway: here })).toBe("unknown");
    expect(visits).toEqual(["/1", "/ipfs/bafyabc"]);
  });

  test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"])(
    "whose name resolves to %s is not requested",
    async (address) => {
      const plan = { allowLoopback: false, lookup: resolving(address) };
      expect(await find(`https://pictures.example:${new URL(here).port}/1`, plan)).toBe("unknown");
      expect(await find(`${here}/1`, plan)).toBe("unknown");
      expect(visits).toEqual([]);
    },
  );

  test("that is this service itself is not requested", async () => {
    expect(await find(`${here}/avatar/alice.eth`, { ownHosts: [new URL(here).host] })).toBe("unknown");
    expect(visits).toEqual([]);
  });

  test("whose answer never ends is cut off at the limit", async () => {
    let sent = 0;
    answer = (_, response) => {
      const more = () => {
        while (!response.destroyed && sent < 64 * MAX_BYTES) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536, png()))) return void response.once("drain", more);
        }
      };
      more();
    };
    expect(await find(`${here}/1`)).toBe("unknown");
    expect(sent).toBeLessThan(32 * MAX_BYTES);
  });

  test("that packs a gigabyte into a few bytes is cut off at the limit", async () => {
    const { gzipSync } = await import("node:zlib");
    const bomb = gzipSync(Buffer.alloc(64 * MAX_BYTES));
    answer = (_, response) => response.setHeader("content-encoding", "gzip").end(bomb);
    expect(await find(`${here}/1`)).toBe("unknown");
  });

  test("that does not answer times out, and is not requested again for a while", async () => {
    answer = () => {};
    const avatars = open({ timeoutMs: 300 });
    expect(await find(`${here}/1`, {}, avatars)).toBe("unknown");
    expect(await find(`${here}/1`, {}, avatars)).toBe("unknown");
    expect(visits).toEqual(["/1"]);
  });
});

describe("images are cached", () => {
  test("by record: each is fetched once, even for requests at once", async () => {
    const avatars = open();
    const all = await Promise.all(["/1", "/1", "/2"].map((path) => find(`${here}${path}`, {}, avatars)));
    expect(all).toEqual(["image/png", "image/png", "image/png"]);
    await find(`${here}/1`, {}, avatars);
    expect(visits.toSorted()).toEqual(["/1", "/2"]);
  });
});

describe("a flood", () => {
  test("from one caller leaves room for others, and no host gets more than its share", async () => {
    const open4: ServerResponse[] = [];
    answer = (_, response) => open4.push(response);
    const avatars = open();
    const other = createServer((_, response) => response.end(png()));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const flood = Array.from({ length: 40 }, (_, i) => find(`${here}/${i}`, {}, avatars));
    await vi.waitFor(() => expect(open4.length).toBe(AT_ONCE.host));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/1`;
    const found = await avatars.find({ text: url, holder: null }, "a bystander");
    expect(typeof found === "string" ? found : found.type).toBe("image/png");
    expect(open4.length).toBe(AT_ONCE.host);
    answer = (_, response) => response.end(png());
    for (const response of open4) response.end(png());
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["image/png"]));
    other.close();
  });

  test("beyond the queue is rejected at once, and not cached", async () => {
    answer = () => {};
    const avatars = open({ timeoutMs: 3_000 });
    const all = Array.from({ length: AT_ONCE.each + WAITING.each + 5 }, (_, i) =>
      find(`${here}/${i}`, {}, avatars),
    );
    const found = await Promise.all(all);
    expect(found.filter((one) => one === "busy")).toHaveLength(5);
    answer = (_, response) => response.end(png());
    expect(await find(`${here}/${found.indexOf("busy")}`, {}, avatars)).toBe("image/png");
  });
});
