import type { lookup as dnsLookup } from "node:dns";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  createOutgoing,
  type Outgoing,
  type OutgoingAnswer,
  type OutgoingError,
  type OutgoingRules,
} from "../../src/api/server/outgoing/outgoing.ts";
import { onlyHttps, refusedUrls, resolving } from "./refusedUrls.ts";

/** In the public range, but not assigned: no connection is established. */
const UNUSED_PUBLIC_ADDRESS = "2000::1";

/** A server on the loopback address that counts its visitors, and answers as each test says. */
let server: Server;
let port = 0;
let visits: { url: string; method: string; header: string | undefined; body: string }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { url = "", method = "", headers } = request;
      visits.push({ url, method, header: headers["x-test"]?.toString(), body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const opened: Outgoing[] = [];
afterEach(async () => {
  visits = [];
  answer = (_, response) => response.end("hello");
  await Promise.all(opened.splice(0).map((outgoing) => outgoing.close()));
});

function open(rules: Partial<OutgoingRules> = {}): Outgoing {
  const outgoing = createOutgoing({
    subject: "picture",
    maxBytes: 1_000,
    timeoutMs: 20_000,
    maxConnections: 2,
    ownHosts: [],
    allowLoopback: false,
    ...rules,
  });
  opened.push(outgoing);
  return outgoing;
}

const never = () => new AbortController().signal;
const get = (outgoing: Outgoing, url: string): Promise<OutgoingAnswer> =>
  outgoing.ask(new URL(url), { method: "GET", signal: never() });

/** Why the request fails. */
async function failureOf(url: string, rules: Partial<OutgoingRules> = {}): Promise<string> {
  return get(open(rules), url.replace("PORT", String(port))).then(
    () => "no failure",
    ({ name, reason, message }: OutgoingError) => {
      expect(name).toBe("OutgoingError");
      return `${reason}: ${message}`;
    },
  );
}

const here = () => `http://127.0.0.1:${port}`;
const development = { allowLoopback: true };

describe("a forbidden URL", () => {
  test.each(refusedUrls)("%s is rejected without a connection", async (url, because) => {
    expect(await failureOf(url)).toMatch(/^refused: /);
    expect(await failureOf(url)).toContain(because);
    expect(() => open().check(new URL(url.replace("PORT", String(port))))).toThrow(because);
    expect(visits).toEqual([]);
  });

  test.each([["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["10.1.2.3"], ["169.254.169.254"], ["fd00::1"]])(
    "a host name that resolves to %s is rejected on connection",
    async (address) => {
      const failure = await failureOf("https://stranger.example:PORT/", { lookup: resolving(address) });
      expect(failure).toBe("refused: stranger.example is not at a public address, so it is not asked");
      expect(visits).toEqual([]);
    },
  );

  test("a host name with a public first answer gains nothing by another second answer", async () => {
    let asked = 0;
    const lookup = ((host: string, options: object, callback: never) => {
      asked++;
      const address = asked === 1 ? UNUSED_PUBLIC_ADDRESS : "127.0.0.1";
      return resolving(address)(host, options, callback);
    }) as unknown as typeof dnsLookup;
    const outgoing = open({ lookup, timeoutMs: 5_000 });
    const url = `https://rebinding.example:${port}/`;
    await expect(get(outgoing, url)).rejects.toThrow();
    await expect(get(outgoing, url)).rejects.toThrow(/not at a public address/);
    expect(asked).toBe(2);
    expect(visits).toEqual([]);
  });

  test("only the public addresses of a host with public and private ones are tried", async () => {
    const lookup = resolving("127.0.0.1", UNUSED_PUBLIC_ADDRESS);
    const failure = await failureOf("https://both.example:PORT/", { lookup, timeoutMs: 2_000 });
    expect(failure).toMatch(/^no answer: /);
    expect(visits).toEqual([]);
  });

  test("a host of this service is not requested, whatever its port", async () => {
    const ownHosts = ["api.example", `127.0.0.1:${port}`];
    const itself = "is this service itself, so it is not asked";
    expect(await failureOf("https://api.example/whois/alice.eth", { ownHosts })).toContain(itself);
    expect(await failureOf("https://API.example:443/", { ownHosts })).toContain(itself);
    expect(await failureOf("https://api.example./", { ownHosts })).toContain(itself);
    expect(await failureOf("https://api.example:8443/", { ownHosts })).toContain(itself);
    expect(await failureOf("https://api.example/", { ownHosts: ["api.example:8443"] })).toContain(itself);
    expect(await failureOf("http://127.0.0.1:PORT/", { ...development, ownHosts })).toContain(itself);
    expect(visits).toEqual([]);
  });

  test("development allows loopback addresses only if the URL names them", async () => {
    for (const host of ["127.0.0.1", "localhost"]) {
      expect((await get(open(development), `http://${host}:${port}/`)).status).toBe(200);
    }
    expect(visits).toHaveLength(2);
    const lookup = resolving("127.0.0.1");
    const dev = { ...development, lookup };
    expect(await failureOf("https://stranger.example:PORT/", dev)).toContain("public address");
    expect(await failureOf("http://stranger.example:PORT/", dev)).toContain(onlyHttps);
    expect(await failureOf("http://169.254.169.254:PORT/", development)).toContain(onlyHttps);
    expect(await failureOf("https://10.0.0.1:PORT/", development)).toContain("public address");
    expect(visits).toHaveLength(2);
  });
});

describe("an answer", () => {
  test("has its status, type and bytes, and the request is sent as given", async () => {
    answer = (_, response) => {
      response.writeHead(201, { "content-type": "image/png" });
      response.end(Buffer.from([0, 255, 7]));
    };
    const { status, contentType, body } = await open(development).ask(new URL(`${here()}/in`), {
      method: "POST",
      headers: { "x-test": "yes" },
      body: "text",
      signal: never(),
    });
    expect([status, contentType, [...body]]).toEqual([201, "image/png", [0, 255, 7]]);
    expect(visits).toEqual([{ url: "/in", method: "POST", header: "yes", body: "text" }]);
  });

  test("without success has its status, and its body is not read", async () => {
    answer = (_, response) => {
      response.writeHead(503);
      response.write("x".repeat(100_000)); // It never ends.
    };
    const { status, body } = await get(open(development), here());
    expect([status, body.length]).toEqual([503, 0]);
  });

  test("that redirects is not followed, wherever it points", async () => {
    answer = (_, response) => {
      response.writeHead(302, { location: `${here()}/inside` });
      response.end();
    };
    expect(await failureOf("http://127.0.0.1:PORT/", development)).toBe(
      `refused: 127.0.0.1:${port} redirects; redirects are not followed`,
    );
    expect(visits.map(({ url }) => url)).toEqual(["/"]);
  });

  test("that never ends is cut off, and its connection is closed", async () => {
    let isClosed: () => void = () => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    answer = (_, response) => {
      const timer = setInterval(() => response.write("x".repeat(500)), 1);
      response.on("close", () => {
        clearInterval(timer);
        isClosed();
      });
    };
    const outgoing = open(development);
    await expect(get(outgoing, here())).rejects.toThrow("answered with more than 1000 bytes");
    await closed;
  });

  test("that unpacks beyond the limit is cut off", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync("x".repeat(20_000_000)));
    };
    expect(await failureOf("http://127.0.0.1:PORT/", development)).toContain("more than 1000 bytes");
  });

  test("of exactly the limit is read", async () => {
    answer = (_, response) => response.end("x".repeat(1_000));
    expect((await get(open(development), here())).body).toHaveLength(1_000);
  });

  test.each([
    ["that does not begin", () => {}],
    [
      "that trickles",
      (_: IncomingMessage, response: ServerResponse) => {
        const timer = setInterval(() => response.write(" "), 50);
        response.on("close", () => clearInterval(timer));
      },
    ],
  ])("%s is aborted after the request timeout", async (_, answers) => {
    answer = answers;
    const before = Date.now();
    const failure = await failureOf("http://127.0.0.1:PORT/", { ...development, timeoutMs: 300 });
    expect(failure).toBe(`no answer: 127.0.0.1:${port} did not answer in time`);
    expect(Date.now() - before).toBeLessThan(15_000);
  });

  test("that the caller aborts fails with the caller's reason", async () => {
    answer = () => {};
    const giveUp = new AbortController();
    const asked = open(development).ask(new URL(here()), { method: "GET", signal: giveUp.signal });
    giveUp.abort(new Error("the caller left"));
    await expect(asked).rejects.toThrow("the caller left");
  });

  test("of a port without a listener fails", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port: free } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    expect(await failureOf(`http://127.0.0.1:${free}/`, development)).toBe(
      `no answer: 127.0.0.1:${free} could not be reached`,
    );
  });
});
