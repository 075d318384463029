import type { lookup as dnsLookup } from "node:dns";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { newBudget } from "../../../src/api/names/live/ccip/budget.ts";
import { createGateways, type Gateways } from "../../../src/api/names/live/ccip/gatewayClient.ts";
import type { GatewayError } from "../../../src/api/names/live/ccip/gatewayError.ts";
import { resolving } from "../../outgoing/refusedUrls.ts";

const sender = "0xAbCdEf0000000000000000000000000000000001";

/** A server on the loopback address that counts its requests and answers as each test says. */
let server: Server;
let port = 0;
let visits: { url: string; method: string; body: string }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};

const json = (body: unknown, status = 200) => {
  answer = (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
};

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      visits.push({ url: request.url ?? "", method: request.method ?? "", body });
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

const opened: Gateways[] = [];
afterEach(async () => {
  visits = [];
  await Promise.all(opened.splice(0).map((gateways) => gateways.close()));
});

type Way = {
  data?: Hex;
  allowLoopback?: boolean;
  lookup?: typeof dnsLookup;
  ownHosts?: string[];
  timeoutMs?: number;
  fetches?: number;
};

async function ask(urls: string[], way: Way = {}): Promise<string> {
  const { allowLoopback = false, fetches = 50, data = "0x1234", ...rules } = way;
  const gateways = createGateways({ allowLoopback, timeoutMs: 20_000, ...rules });
  opened.push(gateways);
  const limits = { ...newBudget("test", AbortSignal.timeout(50_000)), lookups: fetches };
  return gateways.ask({ sender, urls, data }, limits).catch((error: GatewayError) => {
    expect(error.name).toBe("GatewayError");
    return `refused: ${error.message}`;
  });
}

describe("a forbidden gateway", () => {
  const notPublic = "is not at a public address, so it is not asked";
  const refused: readonly (readonly [url: string, because: string])[] = [
    ["http://example.org/{data}", "The gateway's URL begins with http:; only https: is allowed"],
    ["x-batch-gateway:true", "only https: is allowed"],
    ["https://me:secret@example.org/{data}", "The gateway's URL contains a user name"],
    ["no url", "The resolver names a gateway that is not a URL"],
    ["https://127.0.0.1:PORT/{data}", notPublic],
    ["https://169.254.169.254/{data}", notPublic],
  ];

  test.each(refused)("%s is refused without a connection", async (url, because) => {
    json({ data: "0xaa" });
    expect(await ask([url.replace("PORT", String(port))])).toMatch(/^refused: /);
    expect(await ask([url.replace("PORT", String(port))])).toContain(because);
    expect(visits).toEqual([]);
  });

  test("a host name that resolves to a private address is refused when connecting", async () => {
    json({ data: "0xaa" });
    const said = await ask([`https://gateway.example:${port}/{data}`], { lookup: resolving("10.1.2.3") });
    expect(said).toBe("refused: gateway.example is not at a public address, so it is not asked");
    expect(visits).toEqual([]);
  });

  test("this service does not query itself", async () => {
    json({ data: "0xaa" });
    const own = { allowLoopback: true, ownHosts: [`127.0.0.1:${port}`] };
    expect(await ask([`http://127.0.0.1:${port}/{data}`], own)).toContain("is this service itself");
    expect(visits).toEqual([]);
  });

  test("development allows loopback addresses that the URL names", async () => {
    json({ data: "0xaa" });
    expect(await ask([`http://localhost:${port}/{data}`], { allowLoopback: true })).toBe("0xaa");
  });

  test("a question that the caller gives up does not count as the gateway's failure", async () => {
    answer = () => {};
    const gateways = createGateways({ allowLoopback: true, timeoutMs: 20_000 });
    opened.push(gateways);
    const lookup = { sender, urls: [`http://127.0.0.1:${port}/{data}`], data: "0x12" } as const;
    for (let i = 0; i < 3; i++) {
      const giveUp = new AbortController();
      const asked = gateways.ask(lookup, newBudget("test", giveUp.signal));
      await vi.waitFor(() => expect(visits).toHaveLength(i + 1));
      giveUp.abort(new Error("the caller left"));
      await expect(asked).rejects.toThrow("the caller left");
    }
    json({ data: "0xaa" });
    expect(await gateways.ask(lookup, newBudget("test", AbortSignal.timeout(50_000)))).toBe("0xaa");
  });
});

describe("a misbehaving gateway", () => {
  const way = { allowLoopback: true };
  const url = () => `http://127.0.0.1:${port}/{sender}/{data}`;

  test("redirects are not followed, wherever they lead", async () => {
    answer = (_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` });
      response.end();
    };
    expect(await ask([url()], way)).toContain("redirects are not followed");
    expect(visits.map((visit) => visit.url)).not.toContain("/inside");
  });

  test("an answer that never ends is cut off", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":"0x');
      const timer = setInterval(() => response.write("00".repeat(32_768)), 1);
      response.on("close", () => clearInterval(timer));
    };
    expect(await ask([url()], way)).toContain("answered with more than 262144 bytes");
  });

  test("an answer of nothing but brackets is not parsed", async () => {
    answer = (_, response) => response.end("[".repeat(100_000));
    expect(await ask([url()], way)).toContain("did not answer with JSON");
    answer = (_, response) => response.end(`{"data":${'{"a":'.repeat(2_000)}1${"}".repeat(2_001)}`);
    expect(await ask([url()], way)).toContain("did not answer with JSON");
  });

  test("an answer that decompresses beyond the limit is cut off", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(`{"data":"0x${"00".repeat(20_000_000)}"}`));
    };
    expect(await ask([url()], way)).toContain("answered with more than 262144 bytes");
  });

  test("a URL that would become too long is not requested", async () => {
    json({ data: "0xaa" });
    const many = "{data}".repeat(300);
    expect(
      await ask([`http://127.0.0.1:${port}/${many}`], { ...way, data: `0x${"ab".repeat(5_000)}` }),
    ).toContain("URL that is too long");
    expect(await ask([`http://127.0.0.1:${port}/${"x".repeat(2_100)}{data}`], way)).toContain(
      "URL that is too long",
    );
    expect(visits).toEqual([]);
  });

  test("a gateway that failed twice gets no request for half a minute, and then one at a time", async () => {
    answer = () => {};
    let now = 1_000_000;
    const gateways = createGateways({ allowLoopback: true, timeoutMs: 1_500, now: () => now });
    opened.push(gateways);
    const once = (path = "slow") =>
      gateways
        .ask(
          { sender, urls: [`http://127.0.0.1:${port}/${path}/{data}`], data: "0x12" },
          newBudget("test", AbortSignal.timeout(50_000)),
        )
        .catch((error: GatewayError) => error.message);
    const host = `127.0.0.1:${port}`;
    expect([await once(), await once()]).toEqual(Array(2).fill(`${host} did not answer in time`));
    expect(await once()).toBe(`${host} gave no answer lately; it is asked again in 30 s`);
    expect(visits).toHaveLength(2);
    now += 30_000;
    const tries = await Promise.all([once(), once(), once()]);
    expect(tries.filter((said) => said.includes("in time"))).toHaveLength(1);
    expect(visits).toHaveLength(3);
    expect(await once()).toContain("gave no answer lately");
    now += 30_000;
    json({ data: "0xaa" });
    expect([await once(), await once()]).toEqual(["0xaa", "0xaa"]);
  });

  test("one page of a host says nothing about another", async () => {
    answer = (request, response) => {
      if (request.url?.startsWith("/sound")) response.end('{"data":"0x01"}');
    };
    const gateways = createGateways({ allowLoopback: true, timeoutMs: 1_500 });
    opened.push(gateways);
    const ask = (path: string) =>
      gateways
        .ask(
          { sender, urls: [`http://127.0.0.1:${port}/${path}/{data}`], data: "0x12" },
          newBudget("test", AbortSignal.timeout(50_000)),
        )
        .catch((error: GatewayError) => error.message);
    await Promise.all([ask("slow"), ask("slow")]);
    expect(await ask("slow")).toContain("gave no answer lately");
    expect(await ask("sound")).toBe("0x01");
  });

  test("a silent gateway is abandoned after the time limit of a request", async () => {
    answer = () => {};
    const before = Date.now();
    expect(await ask([url()], { ...way, timeoutMs: 300 })).toContain("did not answer in time");
    expect(Date.now() - before).toBeLessThan(30_000);
  });

  test("a trickling gateway is abandoned after the time limit of a request", async () => {
    answer = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    };
    const before = Date.now();
    expect(await ask([url()], { ...way, timeoutMs: 300 })).toContain("did not answer in time");
    expect(Date.now() - before).toBeLessThan(30_000);
  });

  test.each([
    ["no JSON", "<html>"],
    ["a number", "7"],
    ["null", "null"],
    ["JSON without data", '{"message":"hello"}'],
    ["data that is not hexadecimal", '{"data":"0xzz"}'],
    ["half a byte", '{"data":"0x123"}'],
  ])("%s is not an answer", async (_, body) => {
    answer = (_request, response) => response.end(body);
    expect(await ask([url()], way)).toContain("did not answer with JSON that has hexadecimal `data`");
  });

  test("no gateway at all is a failure, not an empty answer", async () => {
    expect(await ask([], way)).toContain("names no gateway");
  });
});

describe("the protocol of ERC-3668", () => {
  const way = { allowLoopback: true };
  const base = () => `http://127.0.0.1:${port}`;

  test("a URL with {data} is fetched by GET, with the sender in lower case", async () => {
    json({ data: "0xbeef" });
    expect(await ask([`${base()}/{sender}/{data}.json`], way)).toBe("0xbeef");
    expect(visits).toEqual([{ method: "GET", url: `/${sender.toLowerCase()}/0x1234.json`, body: "" }]);
  });

  test("a URL without it is called by POST", async () => {
    json({ data: "0xbeef" });
    expect(await ask([`${base()}/lookup`], way)).toBe("0xbeef");
    expect(visits[0]?.method).toBe("POST");
    expect(JSON.parse(visits[0]?.body ?? "")).toEqual({ data: "0x1234", sender: sender.toLowerCase() });
  });

  test("after a 5xx status the next URL is tried", async () => {
    answer = (request, response) => {
      response.writeHead(request.url === "/broken" ? 500 : 200);
      response.end('{"data":"0x01"}');
    };
    expect(await ask([`${base()}/broken`, `${base()}/sound`], way)).toBe("0x01");
    expect(visits.map((visit) => visit.url)).toEqual(["/broken", "/sound"]);
  });

  test("after a 4xx status no other URL is tried", async () => {
    answer = (request, response) => {
      response.writeHead(request.url === "/missing" ? 404 : 200);
      response.end('{"data":"0x01"}');
    };
    expect(await ask([`${base()}/missing`, `${base()}/sound`], way)).toContain("status 404");
    expect(visits).toHaveLength(1);
  });

  test("at most three URLs of a look-up are tried", async () => {
    json({}, 503);
    expect(await ask(Array<string>(8).fill(`${base()}/x`), way)).toContain("status 503");
    expect(visits).toHaveLength(3);
  });

  test("a resolution without requests left sends none", async () => {
    json({}, 503);
    expect(await ask(Array<string>(3).fill(`${base()}/x`), { ...way, fetches: 2 })).toContain(
      "too many look-ups",
    );
    expect(visits).toHaveLength(2);
  });
});
