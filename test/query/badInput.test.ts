// Also runs as: long
import { domain } from "ponder:schema";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type ErrorCode, errorCodes } from "../../src/api/server/errors/errors.ts";
import { type Endpoint, errorsOf } from "../../src/api/server/http/endpoint.ts";
import { lenient } from "../../src/api/server/http/ignoredParameters.ts";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { pathOf, useApi } from "./api.ts";
import { needsNode } from "./noChain.ts";
import { account, registeredRow, STATIC_RESOLVER } from "./rows.ts";
import { beginFeed, setProgress, useTables } from "./tables.ts";

const NOW = 1_800_000_000;
const AT_ONCE_MS = 5_000;
const tables = useTables();
const api = useApi(tables, NOW);

beforeAll(async () => {
  await beginFeed(tables);
  await setProgress(tables, { chainId: 31_337, block: 1, time: NOW });
  const resolver = { resolver: STATIC_RESOLVER };
  await tables.writer
    .insert(domain)
    .values([registeredRow("alice.eth", account(0xa11ce), BigInt(NOW + 1_000), resolver)]);
});

/** Values accepted by each path parameter. */
const good: Record<string, string> = {
  name: "alice.eth",
  address: account(0xa11ce),
  hash: `0x${"ab".repeat(32)}`,
  key: "url",
  agentId: "1",
};

const pathTo = (operation: Endpoint, params: Record<string, string> = {}): string =>
  pathOf(operation, { ...good, ...params });

type Reply = { status: number; body: { error?: { code: ErrorCode; message: string } } };

async function ask(path: string, init?: RequestInit): Promise<Reply> {
  const reply = await api.app.request(path, init);
  const text = await reply.text();
  expect(text, "no stack trace and no SQL").not.toMatch(
    /\bat .*\.[jt]s:\d|node_modules|\bselect\b.*\bfrom\b|relation "/i,
  );
  const isJson = reply.headers.get("content-type")?.startsWith("application/json");
  return { status: reply.status, body: isJson ? JSON.parse(text) : {} };
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  const started = performance.now();
  return { result: await work(), ms: performance.now() - started };
}

/** Expects an error with this code, in the contract's form and with the contract's status. */
function expectError({ status, body }: Reply, code: ErrorCode) {
  expect(body).toEqual({ error: { code, message: expect.stringMatching(/^.{8,400}[.)]$/s) } });
  expect(status).toBe(errorCodes[code].status);
}

const codeIn = ({ body }: Reply) => (body as { error?: { code?: string } } | null)?.error?.code;

const badNames: [string, string][] = [
  ["missing", ""],
  ["an empty label", "alice..eth"],
  ["a space", "al%20ice.eth"],
  ["NUL", "al%00ice.eth"],
  ["a right-to-left mark", "al%E2%80%8Fice.eth"],
  ["broken percent-encoding", "%E0%A4%A"],
  ["bytes that are not UTF-8", "%ff%fe.eth"],
  ["a lone percent sign", "%"],
  ["emoji that ENSIP-15 does not know", "%F0%9F%87%A6x%E2%80%8D.eth"],
  ["two scripts in a label", "%D0%B0lice.eth"],
  ["10 KB", `${"a".repeat(10_240)}.eth`],
  ["10 KB of labels", `${"a.".repeat(5_120)}eth`],
];

const badAddresses: [string, string][] = [
  ["missing", ""],
  ["a name", "alice.eth"],
  ["too short", "0x1234"],
  ["too long", `${account(1)}00`],
  ["without 0x", account(1).slice(2)],
  ["not hexadecimal", `0x${"g".repeat(40)}`],
  ["bytes that are not UTF-8", "%ff%fe"],
  ["NUL", `${account(1)}%00`],
  ["10 KB", `0x${"a".repeat(10_240)}`],
];

const badHashes: [string, string][] = [
  ["missing", ""],
  ["an address", account(1)],
  ["without 0x", "ab".repeat(32)],
  ["not hexadecimal", `0x${"zz".repeat(32)}`],
  ["bytes that are not UTF-8", "%ff%fe"],
  ["a digit too many", `0x${"ab".repeat(32)}c`],
];

const cases = operations.flatMap((operation) => {
  const table: [string, ErrorCode, [string, string][]][] = [
    ["name", "INVALID_NAME", badNames],
    ["address", "INVALID_ADDRESS", badAddresses],
    ["hash", "INVALID_HASH", badHashes],
    ["key", "INVALID_PARAMETER", [["bytes that are not UTF-8", "%ff%fe"]]],
  ];
  return table
    .filter(([param]) => param in operation.params.shape)
    .flatMap(([param, code, values]) =>
      values.map(([what, value]) => ({ operation, path: operation.path, param, what, value, code })),
    );
});

describe("an invalid path parameter", () => {
  test.each(cases)("$path with $param $what is $code", async ({ operation, param, value, code }) => {
    for (const prefix of isLong() ? ["", "/api"] : [""])
      expectError(await ask(`${prefix}${pathTo(operation, { [param]: value })}`), code);
  });
});

const json = { "content-type": "application/json" };

const withQuery = operations.flatMap((operation) =>
  Object.keys(operation.query.shape).map((param) => ({ operation, path: operation.path, param })),
);

/** Parameters that accept any text, and those that hold an address. */
const names = ["parent", "name", "subtree"];
const freeText = ["q", ...names];
/** Record keys, which can be any text, including NUL and the empty text. */
const keys = ["keys", "record_key"];
const addresses = ["resolver", "address", "contract", "owner", "account"];
const isAddress = (param: string) => param.endsWith("_owner") || addresses.includes(param);

describe("an invalid query parameter", () => {
  test.each(withQuery)("$path?$param=", async ({ operation, param }) => {
    const code = isAddress(param)
      ? "INVALID_ADDRESS"
      : names.includes(param)
        ? "INVALID_NAME"
        : param === "namehash"
          ? "INVALID_HASH"
          : "INVALID_PARAMETER";
    const others = [
      "%00",
      ...(freeText.includes(param) ? [] : ["%E2%80%8F", "nonsense", "-1", "1e3", "%E0%A4%A"]),
    ];
    const bad = ["x".repeat(10_240), ...(keys.includes(param) ? [] : others)];
    const request =
      operation.method === "get" ? {} : { method: "POST", headers: json, body: '{"names":["alice.eth"]}' };
    const askWith = (query: string) => ask(`${pathTo(operation)}?${query}`, request);
    for (const value of bad) expectError(await askWith(`${param}=${value}`), code);
    // An empty value counts as omitted. Record keys can be the empty text.
    if (!keys.includes(param)) {
      const [empty, without] = [await askWith(`${param}=`), await askWith("")];
      expect([empty.status, codeIn(empty)]).toEqual([without.status, codeIn(without)]);
    }
    expectError(await askWith(`${param}=true&${param}=true`), "INVALID_PARAMETER");
  });

  test.each(
    operations
      .filter(({ method }) => method === "get")
      .map((operation) => ({ operation, path: operation.path })),
  )("$path ignores unknown parameters unless strict", async ({ operation }) => {
    const status = needsNode.includes(operation.path) ? 502 : 200;
    const odd = `${pathTo(operation)}?colour=blue&colour=red&__proto__=1`;
    expect((await ask(pathTo(operation))).status).toBe(status);
    expect((await ask(`${odd}&strict=false`)).status).toBe(status);
    expectError(await ask(`${odd}&strict=true`), "INVALID_PARAMETER");
    if (lenient.has(operation.path)) expect((await ask(odd)).status).toBe(status);
    else expectError(await ask(odd), "INVALID_PARAMETER");
  });
});

const posts = operations
  .filter(({ method }) => method === "post")
  .map((operation) => ({ operation, path: operation.path }));
describe("an invalid body", () => {
  const post = (operation: Endpoint, body: string, headers: Record<string, string> = json) =>
    ask(pathTo(operation), { method: "POST", body, headers });

  test.each(posts)("POST $path", async ({ operation }) => {
    for (const body of ["{}", '{"names":[],"addresses":[],"inputs":[]}'])
      expectError(await post(operation, body), "MISSING_PARAMETER");
    for (const body of [
      "",
      "{",
      "[",
      "null",
      "[]",
      '"names"',
      "5",
      '{"names":5,"addresses":5,"inputs":5}',
      '{"names":[{}],"addresses":[{}],"inputs":[{}]}',
    ]) {
      expectError(await post(operation, body), "INVALID_PARAMETER");
    }
    const names = Array.from({ length: 1_001 }, () => "alice.eth");
    const many = { names, addresses: names.map(() => account(1)), inputs: names };
    expectError(await post(operation, JSON.stringify(many)), "LIMIT_EXCEEDED");
    const text = ["a".repeat(1_100_000)];
    const large = JSON.stringify({ names: text, addresses: text, inputs: text });
    expectError(await post(operation, large), "LIMIT_EXCEEDED");
  });

  test.each(posts)("POST $path sent as another content type", async ({ operation }) => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
    ]) {
      expectError(
        await post(operation, '{"names":[],"addresses":[]}', { "content-type": type }),
        "INVALID_PARAMETER",
      );
    }
  });

  test.each(posts)("POST $path is not GET", async ({ operation }) => {
    const { status, body } = await ask(pathTo(operation));
    // `GET /whois/bulk` asks for the name `bulk`.
    if (operation.path !== "/whois/bulk")
      expect([status, body.error?.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
  });
});

describe("any input", () => {
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.stringMatching(/^0x[0-9a-fA-F]{38,66}$/),
    fc.stringMatching(/^[a-z0-9.[\]'"\\%_-]{0,40}$/),
    fc.constantFrom(
      "",
      "alice.eth",
      "true",
      "false",
      "1",
      "999999999999999",
      "-1",
      "NaN",
      "' or 1=1 --",
      "\ud800",
      "../../x",
    ),
  );

  test.each(operations.map((operation) => ({ operation, path: `${operation.method} ${operation.path}` })))(
    "$path answers with a declared status, promptly",
    async ({ operation }) => {
      const params = Object.keys(operation.params.shape);
      const query = Object.keys(operation.query.shape);
      const allowed = new Set([200, ...errorsOf(operation).map((code) => errorCodes[code].status)]);
      await fc.assert(
        fc.asyncProperty(
          fc.record(Object.fromEntries(params.map((name) => [name, word]))),
          fc.dictionary(fc.oneof(fc.constantFrom("x", ...query), word), word, { maxKeys: 4 }),
          fc.jsonValue(),
          async (asked, search, body) => {
            const path = pathTo(operation, encoded(asked));
            const url = `${path}?${Object.entries(encoded(search))
              .map((pair) => pair.join("="))
              .join("&")}`;
            const init =
              operation.method === "post"
                ? { method: "POST", headers: json, body: JSON.stringify(body) }
                : {};
            const first = await timed(() => ask(url, init));
            // A slow operation is slow twice; a machine stalls once.
            const second = first.ms < AT_ONCE_MS ? first : await timed(() => ask(url, init));
            expect(second.ms, url).toBeLessThan(AT_ONCE_MS);
            const { status, body: reply } = first.result;
            if (status === 404) return; // A segment like `..` changes the path.
            expect(status, `${url}: ${JSON.stringify(reply)}`).not.toBe(500);
            expect(allowed, `${url}: ${status}`).toContain(status);
          },
        ),
        { numRuns: isLong() ? 60 : 8 },
      );
    },
  );

  /** As a URL writes them. A URL cannot contain a lone surrogate. */
  const encoded = (words: Record<string, string>) =>
    Object.fromEntries(Object.entries(words).map(([name, value]) => [encode(name), encode(value)]));
  const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString());
});
