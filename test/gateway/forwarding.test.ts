// Also runs as: long
import { randomBytes } from "node:crypto";
import { createServer, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import { isLong, partsOf } from "../support/size.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { open, openProcess, unlessHeldUp } from "./opened.ts";
import { says, startUpstream, type Upstream } from "./upstream.ts";

const wordOf = async (reply: Response): Promise<string> => ((await reply.json()) as { word: string }).word;
const codeOf = async (reply: Response): Promise<string> =>
  ((await reply.json()) as { error: { code: string } }).error.code;

type Raw = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A request with any header, through Node's own client. */
function ask(url: string, headers: Record<string, string>, body?: string, method = "GET"): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk) => chunks.push(chunk));
      reply.on("end", () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks) }),
      );
      reply.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("headers", () => {
  /** Answers with the headers that arrived. */
  const echo = () =>
    startUpstream((request, response) => {
      response.writeHead(200, { Connection: "close, X-Private", "X-Private": "1", "X-Public": "2" });
      response.end(JSON.stringify(request.headers));
    });

  test("the caller's address is passed on, and forged addresses are not", async () => {
    const gateway = await open([await echo()]);
    const forged = {
      "X-Forwarded-For": "6.6.6.6",
      "X-Forwarded-Host": "evil.example",
      "X-Real-IP": "6.6.6.6",
      Forwarded: "for=6.6.6.6",
      "X-Api-Key": "ens_1",
      Host: "names.example",
    };
    const seen = JSON.parse(String((await ask(`${gateway.url}/x`, forged)).body));
    expect(seen["x-forwarded-for"]).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
    expect(seen).toMatchObject({ "x-api-key": "ens_1", host: "names.example" });
    for (const name of ["x-forwarded-host", "x-real-ip", "forwarded"]) expect(seen).not.toHaveProperty(name);
  });

  test("the caller's tag is passed on, and so is the answer without a body", async () => {
    const tagged = await startUpstream((request, response) => {
      response.writeHead(request.headers["if-none-match"] === '"tag"' ? 304 : 200, { ETag: '"tag"' });
      response.end(response.statusCode === 200 ? "whole" : undefined);
    });
    const gateway = await open([tagged]);
    const whole = await ask(`${gateway.url}/x`, {});
    expect([whole.status, whole.headers.etag, String(whole.body)]).toEqual([200, '"tag"', "whole"]);
    for (let i = 0; i < 2; i++) {
      const again = await ask(`${gateway.url}/x`, { "If-None-Match": '"tag"' });
      expect([again.status, again.headers.etag, String(again.body)]).toEqual([304, '"tag"', ""]);
    }
  });

  test("behind trusted proxies, their entries and only theirs are kept", async () => {
    const gateway = await open([await echo()], { GATEWAY_TRUSTED_PROXIES: "1" });
    const seen = JSON.parse(
      String((await ask(`${gateway.url}/x`, { "X-Forwarded-For": "6.6.6.6, 192.0.2.7" })).body),
    );
    expect(seen["x-forwarded-for"]).toMatch(/^192\.0\.2\.7, (::ffff:)?127\.0\.0\.1$/);
  });

  test("connection headers are removed in both directions", async () => {
    const gateway = await open([await echo()]);
    const own = { Connection: "close, X-Mine", "X-Mine": "1", TE: "trailers", "X-Kept": "3" };
    const { headers, body } = await ask(`${gateway.url}/x`, own);
    const seen = JSON.parse(String(body));
    expect(seen).toMatchObject({ "x-kept": "3" });
    for (const name of ["x-mine", "te"]) expect(seen).not.toHaveProperty(name);
    expect(headers).toMatchObject({ "x-public": "2" });
    expect(headers).not.toHaveProperty("x-private");
  });

  test("a header that appears twice in an answer stays so", async () => {
    const cookies = ["a=1; Path=/", "b=2; Path=/"];
    const upstream = await startUpstream(
      (_, response) => void response.writeHead(200, { "Set-Cookie": cookies }).end("{}"),
    );
    const { headers } = await ask(`${(await open([upstream])).url}/x`, {});
    expect(headers["set-cookie"]).toEqual(cookies);
  });
});

describe("bodies", () => {
  test("a large answer is passed on as it arrives, to the last byte", async () => {
    const large = randomBytes(32 * 1024 * 1024);
    const gate = { open: () => {} };
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    const upstream = await startUpstream(async (_, response) => {
      response.write(large.subarray(0, 1_000));
      await opened; // Until the beginning has reached the caller.
      response.end(large.subarray(1_000));
    });
    const gateway = await open([upstream]);
    const reply = await fetch(`${gateway.url}/x`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body ?? []) {
      chunks.push(chunk);
      gate.open();
    }
    expect(Buffer.concat(chunks).equals(large)).toBe(true);
  });

  test("an answer whose caller does not read it waits in the indexer", async () => {
    const total = 128 * 1024 * 1024;
    const part = Buffer.alloc(1024 * 1024);
    let written = 0;
    const upstream = await startUpstream((_, response) => {
      const write = () => {
        if (written >= total) return void response.end();
        written += part.length;
        if (response.write(part)) write();
        else response.once("drain", write);
      };
      write();
    });
    const gateway = await open([upstream]);
    const caller = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    caller.write("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    caller.pause();
    caller.on("error", () => {}); // What was read is looked at.
    let seen = 0;
    const hasStopped = () => {
      const isSame = written > 0 && written === seen;
      seen = written;
      return isSame;
    };
    await vi.waitUntil(hasStopped, { timeout: 60_000, interval: 1_000 });
    expect(written).toBeLessThan(64 * 1024 * 1024);
    let read = 0;
    caller.on("data", (chunk) => {
      read += chunk.length;
    });
    caller.resume();
    await new Promise((resolve) => caller.once("close", resolve));
    expect(written).toBe(total);
    expect(read).toBeGreaterThan(total);
  });

  test.each([
    ["HEAD", 200, {}],
    ["GET", 204, {}],
    ["GET", 304, { ETag: '"1"' }],
    ["GET", 200, { "Content-Length": "0" }],
  ])("an answer may have no body: %s %i %j", async (method, status, headers) => {
    const upstream = await startUpstream((_, response) => void response.writeHead(status, headers).end());
    const gateway = await open([upstream]);
    for (let turn = 0; turn < 3; turn++) {
      const reply = await ask(`${gateway.url}/x`, {}, undefined, method);
      expect([reply.status, reply.body.length]).toEqual([status, 0]);
    }
  });

  test("a body is sent to the indexer once it is complete, so that no indexer waits for a slow caller", async () => {
    let isAsked = false;
    const upstream = await startUpstream((request, response) => {
      isAsked = true;
      let text = "";
      request.on("data", (chunk) => (text += chunk));
      request.on("end", () => response.end(text));
    });
    const gateway = await open([upstream]);
    async function* parts() {
      yield Buffer.from("first,");
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(isAsked).toBe(false);
      yield Buffer.from("second");
    }
    const reply = await fetch(`${gateway.url}/whois/bulk`, {
      method: "POST",
      body: parts() as never,
      duplex: "half",
    } as RequestInit);
    expect(await reply.text()).toBe("first,second");
  });

  test("a body larger than allowed is refused, whether or not its length is declared", async () => {
    const gateway = await open([await startUpstream(says("a"))], { GATEWAY_MAX_BODY_BYTES: "2000" });
    const post = (body: unknown) =>
      fetch(`${gateway.url}/whois/bulk`, { method: "POST", body, duplex: "half" } as RequestInit);
    expect((await post("x".repeat(2_000))).status).toBe(200);
    const declared = await post("x".repeat(2_001));
    expect([declared.status, await codeOf(declared)]).toEqual([400, "LIMIT_EXCEEDED"]);
    async function* endless() {
      for (let part = 0; part < 3; part++) yield Buffer.from("x".repeat(1_000));
    }
    const grown = await post(endless());
    expect([grown.status, await codeOf(grown)]).toEqual([400, "LIMIT_EXCEEDED"]);
  });
});

describe("an indexer that fails", unlessHeldUp, () => {
  /** The failing one is asked first: the other is busy with a request that never ends. */
  async function pair(fail: Upstream, settings: Record<string, string> = {}) {
    const other = await startUpstream((request, response) => {
      if (request.url !== "/busy") return says("other")(request, response);
      const drip = setInterval(() => response.write(" "), 100); // It is never silent, so no timeout ends it.
      response.on("close", () => clearInterval(drip));
    });
    const gateway = await open([other, fail], settings);
    const hanging = new AbortController();
    fail.claim = { ready: false, reason: "late" };
    await gateway.until("synced", "not_ready");
    void fetch(`${gateway.url}/busy`, { signal: hanging.signal }).catch(() => {});
    while (other.requests.length === 0) await sleep(10);
    fail.claim = {};
    await gateway.until("synced", "synced");
    return { gateway, other, release: () => hanging.abort() };
  }

  const breaking = () => startUpstream((request) => void request.socket.destroy());

  test("is not asked again while it cannot be reached, and the other answers at once", async () => {
    const dead = await startUpstream(says("dead"));
    const { gateway } = await pair(dead);
    await dead.kill();
    expect(await wordOf(await fetch(`${gateway.url}/x`))).toBe("other");
    await gateway.until("synced", "unreachable");
    await dead.start();
    await gateway.until("synced", "synced");
  });

  test("by ending the connection before it answers is replaced: a read is sent elsewhere, with its whole body", async () => {
    const fail = await breaking();
    const { gateway, other } = await pair(fail);
    expect(await wordOf(await fetch(`${gateway.url}/x`))).toBe("other");
    const post = { method: "POST", body: JSON.stringify({ names: ["a.eth"] }) };
    expect(await wordOf(await fetch(`${gateway.url}/whois/bulk`, post))).toBe("other");
    expect(other.requests).toContain("POST /whois/bulk");
  });

  test.each([
    ["a key", "/x", { headers: { "X-API-Key": "ens_1" } }],
    ["a payment", "/x", { headers: { Authorization: "Payment abc" } }],
    ["a post that may change something", "/mcp", { method: "POST", body: "{}" }],
  ])("is not replaced for requests that may have been charged or executed: %s", async (_, path, init) => {
    const fail = await breaking();
    const { gateway, other } = await pair(fail);
    const reply = await fetch(`${gateway.url}${path}`, init);
    expect([reply.status, await codeOf(reply)]).toEqual([502, "INDEXER_UNREACHABLE"]);
    expect(other.requests).toEqual(["GET /busy"]);
    await fail.kill(); // Now it cannot have received the request.
    expect(await wordOf(await fetch(`${gateway.url}${path}`, init))).toBe("other");
  });

  test("by reporting that it is not ready is replaced by the other, even for a paid request", async () => {
    const fail = await startUpstream((_, response) => {
      response.writeHead(503).end('{"error":{"code":"INDEX_NOT_READY","message":"later"}}');
    });
    const { gateway } = await pair(fail);
    const reply = await fetch(`${gateway.url}/x`, { headers: { "X-API-Key": "ens_1" } });
    expect(await wordOf(reply)).toBe("other");
  });

  test("midway ends the caller's connection: half an answer is never taken for a whole one", async () => {
    const upstream = await startUpstream((request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"results":[', () => request.socket.destroy());
    });
    const gateway = await open([upstream]);
    const reply = await fetch(`${gateway.url}/x`);
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow();
    const metrics = await (await fetch(`${gateway.metricsUrl}/gateway/metrics`)).text();
    expect(metrics).toMatch(/namedex_gateway_broken_answers_total\{indexer="[^"]+"\} 1/);
  });

  test("by not answering in time is reported as such, and the request is not retried elsewhere", async () => {
    const silent = await startUpstream(() => {});
    const { gateway, other } = await pair(silent, { GATEWAY_TIMEOUT_SECONDS: "5" });
    const reply = await fetch(`${gateway.url}/x`);
    expect([reply.status, await codeOf(reply)]).toEqual([502, "INDEXER_UNREACHABLE"]);
    expect(other.requests).toEqual(["GET /busy"]);
  });

  test("and has no other gives a 502 for as long as it is away", async () => {
    const upstream = await startUpstream(says("a"));
    const gateway = await open([upstream]);
    await upstream.kill();
    const first = await fetch(`${gateway.url}/x`);
    expect([first.status, await codeOf(first)]).toEqual([502, "INDEXER_UNREACHABLE"]);
    const second = await fetch(`${gateway.url}/x`);
    expect([second.status, await codeOf(second)]).toEqual([502, "INDEXER_UNREACHABLE"]);
    expect(second.headers.get("retry-after")).toBe("5");
    expect(second.headers.get("access-control-allow-origin")).toBe("*");
    expect((await gateway.status()).status).toBe(503);
  });
});

describe("choice of the indexer", unlessHeldUp, () => {
  const words = async (gateway: RunningGateway, times: number) => {
    const replies = Array.from({ length: times }, async () => wordOf(await fetch(`${gateway.url}/x`)));
    return new Set(await Promise.all(replies));
  };

  test("an indexer behind the others is left out, whatever it says about its own head", async () => {
    const [a, b] = [
      await startUpstream(says("a"), { block: 100 }),
      await startUpstream(says("b"), { block: 94 }),
    ];
    const gateway = await open([a, b]);
    expect(await words(gateway, 20)).toEqual(new Set(["a"]));
    expect((await gateway.status()).body.indexers[1]).toMatchObject({ state: "lagging", lag_seconds: 0 });
    b.claim = { block: 95 };
    await gateway.until("synced", "synced");
    expect(await words(gateway, 40)).toEqual(new Set(["a", "b"]));
  });

  test("an indexer that lags by its own account, is not ready or indexes another network is left out", async () => {
    const claims = [
      {},
      { lag: 121 },
      { ready: false, reason: "building", block: 9_999 },
      { network: "sepolia" },
    ];
    const upstreams = await Promise.all(claims.map((claim, i) => startUpstream(says(String(i)), claim)));
    const gateway = await open(upstreams);
    await gateway.until("synced", "lagging", "not_ready", "other_network");
    expect(await words(gateway, 20)).toEqual(new Set(["0"]));
  });

  test("the least busy indexer is chosen, up to its limit; then none", async () => {
    const waiting: (() => void)[] = [];
    const hold = () => startUpstream((_, response) => void waiting.push(() => response.end("{}")));
    const upstreams = [await hold(), await hold()];
    const gateway = await open(upstreams, { GATEWAY_MAX_REQUESTS: "3", GATEWAY_TRUSTED_PROXIES: "1" });
    const replies = Array.from({ length: 6 }, (_, i) =>
      fetch(`${gateway.url}/x`, { headers: { "X-Forwarded-For": `192.0.2.${i}` } }),
    );
    while (waiting.length < 6) await sleep(10);
    expect(upstreams.map(({ requests }) => requests.length)).toEqual([3, 3]);
    const refused = await fetch(`${gateway.url}/x`);
    expect([refused.status, await codeOf(refused)]).toEqual([503, "NO_INDEXERS_AVAILABLE"]);
    for (const end of waiting) end();
    for (const reply of await Promise.all(replies)) expect(reply.status).toBe(200);
  });

  test("a caller that leaves makes room", async () => {
    let closed = 0;
    const upstream = await startUpstream((request) => void request.once("close", () => closed++));
    const gateway = await open([upstream], { GATEWAY_MAX_REQUESTS: "1" });
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/x`, { signal: leaving.signal }).catch(() => {});
    while (upstream.requests.length === 0) await sleep(10);
    leaving.abort();
    await asked;
    while (closed === 0) await sleep(10);
    upstream.handle = says("a");
    expect(await wordOf(await fetch(`${gateway.url}/x`))).toBe("a");
  });
});

describe("a stop", unlessHeldUp, () => {
  test.each(isLong() ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
    "by %s under load loses no request",
    async (signal) => {
      const upstream = await startUpstream((_, response) => void setTimeout(() => response.end("{}"), 30));
      const gateway = await openProcess([upstream], { GATEWAY_DRAIN_SECONDS: "8" });
      const counts = { answered: 0, whileStopping: 0, lost: [] as unknown[] };
      let isFit = true;
      const read = async (reply: Response) => {
        await reply.text();
        return reply.headers.get("connection") === "close" ? "closing" : reply.status;
      };
      /**
       * Sends requests without a pause over connections that stay open, as a load balancer does.
       * Switches elsewhere a moment after the gateway says that it is stopping.
       */
      const load = async () => {
        while (isFit) {
          const status = await fetch(`${gateway.url}/x`).then(read, (error: unknown) => error);
          if (status === 200) counts.answered++;
          else if (status === "closing") counts.whileStopping++;
          else counts.lost.push(status);
        }
      };
      /** And goes elsewhere a moment after the gateway says that it is stopping. */
      const watch = async () => {
        while (isFit) {
          const { status } = await gateway.status();
          await sleep(100);
          isFit = status === 200;
        }
      };
      const loads = [watch(), ...Array.from({ length: 16 }, load)];
      await vi.waitUntil(() => counts.answered > 50, { timeout: 20_000 });
      const ended = gateway.stop(signal);
      await Promise.all(loads);
      expect(await ended).toBe(0);
      expect(counts).toMatchObject({ lost: [], answered: expect.any(Number) });
      expect(Math.min(counts.answered, counts.whileStopping)).toBeGreaterThan(0);
      expect(upstream.requests.length).toBe(counts.answered + counts.whileStopping);
    },
  );

  test.runIf(isLong())(
    "waits for the slowest answer, and reports meanwhile that the gateway is stopping",
    async () => {
      let end = () => {};
      const upstream = await startUpstream((_, response) => {
        end = () => response.end('"late"');
      });
      const gateway = await openProcess([upstream]);
      const slow = fetch(`${gateway.url}/x`);
      while (upstream.requests.length === 0) await sleep(10);
      const ended = gateway.stop();
      const patience = { timeout: 20_000 };
      await vi.waitFor(
        async () => expect(await gateway.status()).toMatchObject({ status: 503, body: { stopping: true } }),
        patience,
      );
      await vi.waitFor(() => expect(gateway.status()).rejects.toThrow(), patience); // New connections are no longer accepted.
      end();
      expect(await (await slow).json()).toBe("late");
      expect(await ended).toBe(0);
    },
  );
});

describe("wrong settings", () => {
  const faults: [settings: Record<string, string>, message: RegExp][] = [
    [{}, /INDEXERS is not set: expected .*, for example INDEXERS=http:/],
    [
      { INDEXERS: "localhost:42069" },
      /INDEXERS is "localhost:42069": expected comma-separated http\(s\) base URLs/,
    ],
    [{ INDEXERS: "http://a,http://a/" }, /INDEXERS is .* each once/],
    [{ INDEXERS: "http://me:hunter2@a" }, /INDEXERS is "http:\/\/a"/],
    [{ INDEXERS: "http://a", PORT: "0" }, /PORT is "0": expected a port from 1 to 65535/],
    [
      { INDEXERS: "http://a", GATEWAY_MAX_LAG_SECONDS: "x" },
      /GATEWAY_MAX_LAG_SECONDS is "x": expected a whole/,
    ],
    [{ INDEXERS: "http://a", GATEWAY_MAX_REQUESTS: "0" }, /GATEWAY_MAX_REQUESTS is "0": expected/],
  ];

  test.each(partsOf({ first: faults.slice(2, 4), rest: [...faults.slice(0, 2), ...faults.slice(4)] }))(
    "%j stop the start, naming the variable, the fault and an example",
    async (settings, message) => {
      const gateway = await launchGateway(settings);
      expect(await gateway.exit).toBe(1);
      expect(gateway.output()).toMatch(message);
      expect(gateway.output()).not.toMatch(/hunter2|node:internal|\n {4}at /);
    },
  );

  test.runIf(isLong())("a port in use by another program stops the start", async () => {
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, () => resolve()));
    const gateway = await launchGateway({ INDEXERS: "http://127.0.0.1:1", PORT: String(port) });
    expect(await gateway.exit).toBe(1);
    expect(gateway.output()).toContain(`PORT is ${port}, but that port cannot be used (EADDRINUSE)`);
    const other = await launchGateway({ INDEXERS: "http://127.0.0.1:1", METRICS_PORT: String(port) });
    expect(await other.exit).toBe(1);
    expect(other.output()).toContain(`METRICS_PORT is ${port}, but that port cannot be used (EADDRINUSE)`);
    server.close();
  });
});

test("callers that send no HTTP, or ask the gateway for something it does not have, are answered", async () => {
  const gateway = await open([await startUpstream(says("a"))]);
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", () => {}); // What was read is looked at.
  socket.end("NONSENSE\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  expect(text).toContain("400 Bad Request");
  const unknown = await fetch(`${gateway.url}/gateway/else`);
  expect([unknown.status, await codeOf(unknown)]).toEqual([404, "NOT_FOUND"]);
  const posted = await fetch(`${gateway.url}/gateway/status`, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
