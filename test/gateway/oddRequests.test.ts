import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import { NAME_PREFIXES } from "../../ops/gateway/server.ts";
import { ALLOWED } from "../../ops/gateway/target.ts";
import { namePrefixesOf } from "../../src/api/server/http/paths.ts";
import { operations } from "../support/operations.ts";
import type { RunningGateway } from "./gateway.ts";
import { open } from "./opened.ts";
import { says, startUpstream } from "./upstream.ts";

/** Sends these bytes and returns what arrives until the connection ends. */
function exchange({ url }: RunningGateway, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    socket.write(bytes);
  });
}

type Heard = { status: number; headers: Headers; body: string };

function read(text: string): Heard {
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  const [line = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((one) => one.split(/: (.*)/s).slice(0, 2) as [string, string]));
  return { status: Number(line.split(" ")[1]), headers, body };
}

const request = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, "Host: names.example", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;

const codeIn = ({ body }: Heard) => (JSON.parse(body) as { error: { code: string } }).error.code;

const chunked = ["POST /x", "Transfer-Encoding: chunked"] as const;

/**
 * The bytes sent, the status and the error code. For other answers: the request that reached the
 * indexer.
 */
const odd: [what: string, bytes: string, status: number, outcome: string][] = [
  ["OPTIONS *", request("OPTIONS *"), 204, ""],
  ["OPTIONS of a path", request("OPTIONS /whois/bulk"), 204, ""],
  ["a whole address", request("GET http://other.example/whois/a.eth?b=1"), 200, "GET /whois/a.eth?b=1"],
  ["a whole address without a path", request("GET http://other.example"), 200, "GET /"],
  ["an address with a name and a password", request("GET http://u:p@other.example/x"), 200, "GET /x"],
  ["an address of another kind", request("GET ftp://other.example/x"), 400, "INVALID_PARAMETER"],
  ["two slashes", request("GET //other.example/x"), 200, "GET //other.example/x"],
  ["dots", request("GET /../../x/./y"), 200, "GET /../../x/./y"],
  ["an asterisk", request("GET *"), 400, "INVALID_PARAMETER"],
  ["no slash", request("GET whois"), 400, "INVALID_PARAMETER"],
  ["20 KB of a path", request(`GET /${"a".repeat(20_000)}`), 400, "LIMIT_EXCEEDED"],
  ["20 KB of a name", request(`GET /whois/${"a".repeat(20_000)}`), 400, "INVALID_NAME"],
  ["20 KB of headers", request("GET /x", `X-Long: ${"a".repeat(20_000)}`), 400, "LIMIT_EXCEEDED"],
  ["CONNECT", request("CONNECT other.example:443"), 405, "METHOD_NOT_ALLOWED"],
  ["TRACE", request("TRACE /x"), 405, "METHOD_NOT_ALLOWED"],
  ["PROPFIND", request("PROPFIND /x"), 405, "METHOD_NOT_ALLOWED"],
  ["a method that is none", request("NONE /x"), 400, "INVALID_PARAMETER"],
  ["an upgrade", request("GET /x", "Connection: Upgrade", "Upgrade: websocket"), 200, "GET /x"],
  ["HTTP/2 from the start", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "INVALID_PARAMETER"],
  [
    "a length that is given twice",
    request("POST /x", "Content-Length: 1", "Content-Length: 2"),
    400,
    "INVALID_PARAMETER",
  ],
  ["a length and chunks", `${request(...chunked, "Content-Length: 3")}0\r\n\r\n`, 400, "INVALID_PARAMETER"],
  ["a negative length", request("POST /x", "Content-Length: -1"), 400, "INVALID_PARAMETER"],
  ["chunks without a size", `${request(...chunked)}zz\r\nabc\r\n`, 400, "INVALID_PARAMETER"],
  [
    "a chunk whose size has 80 bits",
    `${request(...chunked)}ffffffffffffffffffff\r\nabc\r\n`,
    400,
    "INVALID_PARAMETER",
  ],
  ["an expectation", request("GET /x", "Expect: miracles"), 200, "GET /x"],
  ["no host", "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "INVALID_PARAMETER"],
  ["HTTP/1.0 without a host", "GET /x HTTP/1.0\r\n\r\n", 200, "GET /x"],
  ["no request at all", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n", 400, "INVALID_PARAMETER"],
];

describe("an odd request is answered in the usual form and does no harm:", () => {
  test("each of them, and the one after it", async () => {
    const upstream = await startUpstream(says("a"));
    const gateway = await open([upstream]);
    for (const [what, bytes, status, outcome] of odd) {
      upstream.requests.length = 0;
      const heard = read(await exchange(gateway, bytes));
      expect([what, heard.status, heard.body]).toEqual([what, status, expect.any(String)]);
      if (status >= 400) expect([what, codeIn(heard)]).toEqual([what, outcome]);
      if (status === 200) expect([what, ...upstream.requests]).toEqual([what, outcome]);
      if (status !== 200) expect(heard.headers.get("access-control-allow-origin")).toBe("*");
      if (status === 204 || status === 405)
        expect(heard.headers.get("allow")).toBe("GET, HEAD, POST, PATCH, DELETE, OPTIONS");
      const { body } = await gateway.status();
      expect([what, body.indexers[0]?.state]).toEqual([what, "synced"]);
    }
    expect(await (await fetch(`${gateway.url}/x`)).json()).toEqual({ word: "a" });
  });
});

test("a name follows the same words in the paths of all operations", () => {
  expect(NAME_PREFIXES).toEqual(namePrefixesOf(operations));
});

test("a HEAD that cannot be read or is too long gets no body", async () => {
  const gateway = await open([await startUpstream(says("a"))]);
  for (const bytes of [request(`HEAD /whois/${"a".repeat(20_000)}`), "HEAD /x HTTP/9.z\r\n\r\n"]) {
    const heard = read(await exchange(gateway, bytes));
    expect([heard.status, heard.body]).toEqual([400, ""]);
  }
});

test("operations accept the allowed methods", () => {
  const methods = new Set(operations.map(({ method }) => method.toUpperCase()));
  expect([...methods].filter((method) => !ALLOWED.split(", ").includes(method))).toEqual([]);
});

describe("a web page", () => {
  const preflight = {
    Origin: "https://app.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,x-api-key",
  };

  test("may make requests and read errors even if no indexer can be reached", async () => {
    const gateway = await open([], { INDEXERS: `http://127.0.0.1:${await freePort()}` });
    const asked = await fetch(`${gateway.url}/whois/bulk`, { method: "OPTIONS", headers: preflight });
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": expect.stringContaining("POST"),
      "access-control-allow-headers": "content-type,x-api-key",
    });
    const refused = await fetch(`${gateway.url}/whois/a.eth`, { headers: { Origin: "https://app.example" } });
    expect([refused.status, await refused.json()]).toMatchObject([
      502,
      { error: { code: "INDEXER_UNREACHABLE" } },
    ]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
    expect(refused.headers.get("retry-after")).toBe("5");
  });

  test.each(["PATCH", "DELETE"])("may make requests with %s", async (method) => {
    const gateway = await open([await startUpstream(says("a"))]);
    const headers = { ...preflight, "Access-Control-Request-Method": method };
    const asked = await fetch(`${gateway.url}/webhooks/1`, { method: "OPTIONS", headers });
    expect(asked.headers.get("access-control-allow-methods")?.split(", ")).toContain(method);
  });

  test("learns that no indexer is synced if one answers but is not ready", async () => {
    const upstream = await startUpstream(says("a"), { ready: false, reason: "building" });
    const gateway = await open([upstream]);
    const refused = await fetch(`${gateway.url}/whois/a.eth`);
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { code: "NO_INDEXERS_AVAILABLE" } },
    ]);
  });
});
