import {
  AccessError,
  ConnectionError,
  connect,
  createNamedex,
  getWhoisByName,
  InvalidRequestError,
  type NamedexConfig,
  NamedexError,
  RateLimitedError,
  UnavailableError,
} from "namedex-client";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { errorCodes } from "../../src/api/server/errors/errors.ts";
import { type SignupService, startSignupService } from "../access/signupService.ts";
import { openScene, type Scene } from "../mcp/scene.ts";
import { account } from "../query/rows.ts";
import { comparable } from "./comparable.ts";
import { errorAnswer, type Front, openFront } from "./front.ts";

/*
 * Tests the client against the API on real tables, over HTTP. A server in between records each request and can give its own
 * answers. onDemo.ts does the same on the demo.
 */

let scene: Scene;
let front: Front;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());
beforeEach(async () => {
  front = await openFront(scene.url);
});
afterEach(() => front?.close());

const clientOf = (config: Partial<NamedexConfig> = {}) => createNamedex({ url: front.url, ...config });

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe("a call", () => {
  test("returns the API's answer", async () => {
    const { body } = await scene.api.get("/whois/alice.eth");
    const { as_of: _, ...answer } = await clientOf().getWhoisByName({ name: "alice.eth" });
    expect(comparable(answer)).toEqual(comparable(body));
    expect(answer).toMatchObject({ known: true, expiry_timestamp: expect.any(BigInt) });
  });

  test("returns the address of an image without a request", () => {
    const urls = ["", "/", "/api", "/api/"].map((path) =>
      clientOf({ url: `${front.url}${path}` }).avatarUrl("a b/?☃.eth"),
    );
    const place = "avatar/a%20b%2F%3F%E2%98%83.eth";
    expect(urls).toEqual(["/", "/", "/api/", "/api/"].map((path) => `${front.url}${path}${place}`));
    expect(front.asked).toEqual([]);
  });

  test("returns a calendar as text", async () => {
    const calendar = await clientOf().getDomainExpiryIcs({ name: "alice.eth" });
    expect(calendar).toMatch(/^BEGIN:VCALENDAR\r\n/);
  });

  test("works under /api, and with a trailing slash", async () => {
    for (const url of [`${front.url}/api`, `${front.url}/api/`, `${front.url}/`]) {
      expect(await createNamedex({ url }).getDomainRecords({ name: "alice.eth" })).toMatchObject({
        domain: "alice.eth",
      });
    }
    const paths = [
      "/api/domain/alice.eth/records",
      "/api/domain/alice.eth/records",
      "/domain/alice.eth/records",
    ];
    expect(front.asked.map(({ path }) => path)).toEqual(paths);
  });

  test("sends any text as one path segment, and as one query value", async () => {
    const odd = "a/b?c#d&e=%2F é\u202e😀";
    await thrownBy(clientOf().getDomainRecordsTextByKey({ name: "alice.eth", key: odd }));
    await clientOf().getSearchDomains({ q: odd, is_wrapped: "true" });
    const [byKey, search] = front.asked.map(({ path }) => new URL(path, front.url));
    expect(byKey?.pathname.split("/").map(decodeURIComponent)).toEqual([
      "",
      "domain",
      "alice.eth",
      "records",
      "text",
      odd,
    ]);
    expect([...(search?.searchParams ?? [])]).toEqual([
      ["q", odd],
      ["is_wrapped", "true"],
    ]);
  });

  test.each([".", ".."])("never requests another path: %s is rejected without a request", async (part) => {
    const namedex = clientOf();
    for (const call of [
      namedex.getWhoisByName({ name: part }),
      namedex.getDomainRecordsTextByKey({ name: "alice.eth", key: part }),
    ]) {
      expect(await thrownBy(call)).toBeInstanceOf(InvalidRequestError);
    }
    expect(front.asked).toEqual([]);
  });

  test("uses the given fetch, and sends the headers of the call", async () => {
    const urls: string[] = [];
    const namedex = clientOf({
      fetch: (input, init) => {
        urls.push((input as Request).url);
        return fetch(input, init);
      },
    });
    const options = { headers: { "x-request-id": "mine" } };
    await namedex.getEnsStats({}, options);
    await namedex.getWhoisByName({ name: "alice.eth" }, options);
    expect(urls).toEqual([`${front.url}/ens-stats`, `${front.url}/whois/alice.eth`]);
    expect(front.asked.map(({ headers }) => headers["x-request-id"])).toEqual(["mine", "mine"]);
  });

  test.each(["names.example.org", "ftp://names.example.org", ""])("rejects the url %j", (url) => {
    expect(() => createNamedex({ url })).toThrow(TypeError);
  });
});

describe("errors", () => {
  const classNames = {
    INVALID_API_KEY: "AccessError",
    PAYMENT_REQUIRED: "AccessError",
    FORBIDDEN_ORIGIN: "AccessError",
    NOT_FOUND: "NoSuchOperationError",
    METHOD_NOT_ALLOWED: "NoSuchOperationError",
    NOT_ACCEPTABLE: "NoSuchOperationError",
    NOT_OFFERED: "NoSuchOperationError",
    POSITION_GONE: "PositionGoneError",
    RATE_LIMITED: "RateLimitedError",
    LIVE_RESOLUTION_FAILED: "LiveResolutionError",
    INDEXER_UNREACHABLE: "UnavailableError",
    INDEX_NOT_READY: "UnavailableError",
    NO_INDEXERS_AVAILABLE: "UnavailableError",
    INTERNAL_ERROR: "ServerError",
  };

  test.each(Object.entries(errorCodes))(
    "%s has its class, code, status and message",
    async (code, { status }) => {
      front.next.push(errorAnswer(status, code, { "x-request-id": "r1" }));
      const error = await thrownBy(clientOf({ retries: 0 }).getWhoisByName({ name: "alice.eth" }));
      const name = classNames[code as keyof typeof classNames] ?? "InvalidRequestError";
      expect(error).toBeInstanceOf(NamedexError);
      expect(error).toMatchObject({ name, code, status, message: `This is ${code}.`, requestId: "r1" });
    },
  );

  test("come from the API", async () => {
    const error = await thrownBy(clientOf().getWhoisByName({ name: "a..b" }));
    const { body } = await scene.api.get("/whois/a..b");
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ status: 400, ...(body.error as object) });
  });

  test("of a newer server keep a code unknown to the client", async () => {
    front.next.push(errorAnswer(400, "NEW_CODE"), errorAnswer(400, "toString"));
    for (const code of ["NEW_CODE", "toString"]) {
      const error = await thrownBy(clientOf().getWhoisByName({ name: "alice.eth" }));
      expect(error).toMatchObject({ name: "NamedexError", code, status: 400 });
    }
  });

  test("report that the server is not Namedex, or does not answer", async () => {
    const json = { "content-type": "application/json" };
    const html = { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" };
    front.next.push(html, { ...html, status: 404 }, { status: 200, headers: json, body: '{"cut' });
    front.next.push({ status: 200, body: "Welcome" });
    for (const status of [200, 404, 200, 200]) {
      const error = await thrownBy(clientOf().getWhoisByName({ name: "alice.eth" }));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ code: "UNREADABLE_ANSWER", status });
    }
    front.next.push("broken");
    const error = await thrownBy(clientOf({ retries: 0 }).getWhoisByName({ name: "alice.eth" }));
    expect(error).toMatchObject({ name: "ConnectionError", code: "NO_ANSWER", status: undefined });
  });
});

describe("retries", () => {
  const ready = (client: ReturnType<typeof clientOf>) => client.getWhoisByName({ name: "alice.eth" });

  test.each([
    ["429", errorAnswer(429, "RATE_LIMITED", { "retry-after": "1" })],
    ["503", errorAnswer(503, "INDEX_NOT_READY", { "retry-after": "1" })],
    ["a proxy's 503", { status: 503, headers: { "retry-after": "1" }, body: "<h1>Unavailable</h1>" }],
  ])("happen after %s, when Retry-After says", async (_, answer) => {
    front.next.push(answer);
    const began = performance.now();
    expect(await ready(clientOf())).toMatchObject({ name: "alice.eth" });
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(front.asked).toHaveLength(2);
  });

  test("send a request with its whole body", async () => {
    front.next.push("broken");
    const { summary } = await clientOf().postWhoisBulk({ names: ["alice.eth"] });
    expect(summary.total).toBe(1);
    expect(front.asked.map(({ body }) => body)).toEqual(Array(2).fill('{"names":["alice.eth"]}'));
  });

  test("understand a date in Retry-After", async () => {
    const soon = new Date(Date.now() + 3_600_000).toUTCString();
    front.next.push(errorAnswer(503, "INDEX_NOT_READY", { "retry-after": soon }));
    const error = (await thrownBy(ready(clientOf()))) as UnavailableError;
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error.retryAfter).toBeGreaterThan(3_500);
  });

  test("end after some attempts, with the last error", async () => {
    front.next.push(...Array(9).fill(errorAnswer(429, "RATE_LIMITED", { "retry-after": "0" })));
    expect(await thrownBy(ready(clientOf()))).toBeInstanceOf(RateLimitedError);
    expect(front.asked).toHaveLength(3);
    expect(await thrownBy(ready(clientOf({ retries: 4 })))).toBeInstanceOf(RateLimitedError);
    expect(front.asked).toHaveLength(8);
  });

  test("leave a longer wait than allowed to the caller: the error has the seconds", async () => {
    front.next.push(errorAnswer(429, "RATE_LIMITED", { "retry-after": "31" }));
    expect(await thrownBy(ready(clientOf()))).toMatchObject({ code: "RATE_LIMITED", retryAfter: 31 });
    front.next.push(errorAnswer(429, "RATE_LIMITED", { "retry-after": "1" }));
    expect(await thrownBy(ready(clientOf({ maxWaitSeconds: 0 })))).toMatchObject({ retryAfter: 1 });
    expect(front.asked).toHaveLength(2);
  });

  test.each(["INVALID_NAME", "PAYMENT_REQUIRED", "LIVE_RESOLUTION_FAILED", "INTERNAL_ERROR"] as const)(
    "do not happen after %s",
    async (code) => {
      front.next.push(errorAnswer(errorCodes[code].status, code));
      expect(await thrownBy(ready(clientOf()))).toMatchObject({ code });
      expect(front.asked).toHaveLength(1);
    },
  );
});

describe("a signal", () => {
  const reason = new Error("The reader left.");

  /** Aborts as soon as the front received its first request. */
  function abortWhenAsked(): AbortController {
    const controller = new AbortController();
    const watch = setInterval(() => {
      if (front.asked.length === 0) return;
      clearInterval(watch);
      controller.abort(reason);
    }, 5);
    return controller;
  }

  test("ends a call that waits for its answer", async () => {
    front.next.push("silent");
    const { signal } = abortWhenAsked();
    expect(await thrownBy(clientOf().getWhoisByName({ name: "alice.eth" }, { signal }))).toBe(reason);
  });

  test("ends a call that waits to retry", async () => {
    front.next.push(errorAnswer(429, "RATE_LIMITED", { "retry-after": "29" }));
    const { signal } = abortWhenAsked();
    expect(await thrownBy(clientOf().getWhoisByName({ name: "alice.eth" }, { signal }))).toBe(reason);
    expect(front.asked).toHaveLength(1);
  });

  test("that is already aborted sends nothing", async () => {
    const signal = AbortSignal.abort(reason);
    const namedex = clientOf();
    const names = Array.from({ length: 3_000 }, (_, i) => `n${i}.eth`);
    for (const call of [
      namedex.getEnsStats({}, { signal }),
      namedex.getWhoisByName({ name: "alice.eth" }, { signal }),
      namedex.whoisMany({ names }, { signal }),
      namedex.pages("getSearchDomains", {}, { signal }).next(),
    ]) {
      expect(await thrownBy(call)).toBe(reason);
    }
    expect(front.asked).toEqual([]);
  });

  test("ends a call that makes many requests", async () => {
    front.next.push(...Array(4).fill("silent"));
    const { signal } = abortWhenAsked();
    const addresses = Array.from({ length: 2_000 }, (_, i) => account(i + 1));
    expect(await thrownBy(clientOf().primaryNames({ addresses }, { signal }))).toBe(reason);
    expect(front.asked.length).toBeLessThanOrEqual(4);
  });
});

describe("pages", () => {
  test("give every result, each page requested when the loop reaches it", async () => {
    const names: string[] = [];
    let seen = 0;
    for await (const { results, page, total } of clientOf().pages("getSearchDomains", { q: "many" })) {
      seen++;
      expect([page, total, front.asked.length]).toEqual([seen === 1 ? 1 : undefined, 30, seen]);
      names.push(...results.map(({ name }) => name));
    }
    expect(names.sort()).toEqual(Array.from({ length: 30 }, (_, i) => `many${i}.eth`).sort());
    expect(front.asked.map(({ path }) => path)).toEqual([
      "/search-domains?q=many&page=1",
      expect.stringMatching(/^\/search-domains\?q=many&cursor=[A-Za-z0-9_-]+$/),
    ]);
  });

  test("begin at the given page, and end when the loop is left", async () => {
    for await (const { results } of clientOf().pages("getSearchDomains", { q: "many", page: 2 })) {
      expect(results).toHaveLength(5);
    }
    for await (const _ of clientOf().pages("getSearchDomains", { q: "many" })) break;
    expect(front.asked).toHaveLength(2);
  });

  test("begin at a cursor, too, and have the requested size", async () => {
    const sizes: number[] = [];
    const { value: first } = await clientOf().pages("getSearchDomains", { q: "many", page_size: 20 }).next();
    const cursor = first ? (first.next_cursor ?? undefined) : undefined;
    const rest = { q: "many", page_size: 4, ...(cursor !== undefined && { cursor }) };
    for await (const { results } of clientOf().pages("getSearchDomains", rest)) sizes.push(results.length);
    expect(sizes).toEqual([4, 4, 2]);
  });

  test("an empty list has one page, and a history has pages, too", async () => {
    for await (const { results } of clientOf().pages("getSearchDomains", { q: "nothing-like-this" })) {
      expect(results).toEqual([]);
    }
    for await (const { events, page } of clientOf().pages("getDomainEvents", { name: "alice.eth" })) {
      expect([events.length, page]).toEqual([2, 1]);
    }
    expect(front.asked).toHaveLength(2);
  });

  test("give their items, page after page", async () => {
    const names: string[] = [];
    for await (const { name, known } of clientOf().items("getSearchDomains", { q: "many", page_size: 20 })) {
      expect(known).toBe(true);
      names.push(name);
      if (names.length === 1) expect(front.asked).toHaveLength(1);
    }
    expect(names.sort()).toEqual(Array.from({ length: 30 }, (_, i) => `many${i}.eth`).sort());
    expect(front.asked).toHaveLength(2);
  });

  test("a loop that ends early requests no further page", async () => {
    for await (const { name } of clientOf().items("getSearchDomains", { q: "many", page_size: 5 })) {
      expect(name).toMatch(/^many/);
      break;
    }
    expect(front.asked).toHaveLength(1);
  });

  test("of a server without cursors do not end as if the list were complete", async () => {
    const body = JSON.stringify({ results: [], total: 51, page: 1, page_size: 25 });
    front.next.push({ status: 200, headers: { "content-type": "application/json" }, body });
    const pages = clientOf().pages("getSearchDomains", { q: "many" });
    expect((await pages.next()).value).toMatchObject({ total: 51 });
    await expect(pages.next()).rejects.toThrow("older than its client");
  });
});

describe("methods by subject", () => {
  test("for a name and an address call the right operation", async () => {
    const { name, address } = clientOf();
    expect(await name("alice.eth").records({ types: "addr" })).toMatchObject({ domain: "alice.eth" });
    await name("alice.eth").text("a/b");
    await address(account(1)).summary({ partial: "true" });
    for await (const _ of address(account(1)).names({ include_expired: "true" })) break;
    expect(front.asked.map(({ path }) => path)).toEqual([
      "/domain/alice.eth/records?types=addr",
      "/domain/alice.eth/records/text/a%2Fb",
      `/address/${account(1)}/summary?partial=true`,
      `/address/${account(1)}/domains?include_expired=true&page=1`,
    ]);
  });

  test("keep their name, whatever the parameters contain", async () => {
    const given = { name: "bob.eth" } as object;
    await clientOf().name("alice.eth").whois(given);
    expect(front.asked.map(({ path }) => path)).toEqual(["/whois/alice.eth"]);
  });

  test("mark a name as unknown if nothing is known of it", async () => {
    const answer = await clientOf().name("unregistered.eth").whois();
    expect(answer).toMatchObject({ known: false, query: "unregistered.eth" });
  });

  test("have single operations as an alternative", async () => {
    const ask = connect({ url: front.url });
    const alice = await ask(getWhoisByName, { name: "alice.eth" });
    expect(alice).toMatchObject({ known: true, name: "alice.eth" });
    expect(await thrownBy(ask(getWhoisByName, { name: "a..b" }))).toBeInstanceOf(InvalidRequestError);
  });
});

describe("bulk calls", () => {
  test("need five requests for 1,000 addresses, and each address has its answer", async () => {
    const addresses = Array.from({ length: 1_000 }, (_, i) => account(i + 1));
    const { results } = await clientOf().primaryNames({ addresses });
    expect(front.asked).toHaveLength(5);
    const queries = Object.values(results).map(({ query }) => query);
    expect(queries.sort()).toEqual([...addresses].sort());
  });

  test("need three requests for 1,200 names and 300 hashes, and keep their order", async () => {
    const names = Array.from({ length: 1_200 }, (_, i) => (i % 100 === 0 ? "alice.eth" : `absent${i}.eth`));
    const namehashes = Array.from({ length: 300 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`);
    const { results, summary } = await clientOf().whoisMany({ names, namehashes });
    expect(front.asked).toHaveLength(3);
    expect(results.map(({ query }) => query)).toEqual([...names, ...namehashes]);
    expect(summary).toMatchObject({ total: 1_500, registered: 12 });
  });

  test("split names with too many labels into smaller requests", async () => {
    const names = Array.from({ length: 500 }, (_, i) => `${"a.".repeat(14)}n${i}.eth`);
    const { results } = await clientOf().whoisMany({ names });
    expect(results).toHaveLength(500);
    expect(front.asked.map(({ body }) => JSON.parse(body).names.length)).toEqual([500, 250, 250]);
  });

  test("look up names and addresses together, and request again what one answer had no room for", async () => {
    const long = Array.from({ length: 30 }, (_, i) => `${"a.".repeat(400)}n${i}.eth`);
    const inputs = ["alice.eth", account(0xa11ce), "a..b", ...long];
    const { results } = await clientOf().lookup({ inputs, records: {} });
    expect(results.map(({ input }) => input)).toEqual(inputs);
    const kinds = ["name", "address", "invalid", ...long.map(() => "name")];
    expect(results.map(({ kind }) => kind)).toEqual(kinds);
    expect(front.asked.map(({ body }) => JSON.parse(body).inputs.length)).toEqual([33, 6]);
    const [found] = results;
    const { body } = await scene.api.get("/domain/alice.eth/records");
    expect(found?.kind === "name" && found.records?.texts).toEqual((body.records as { texts: object }).texts);
  });

  test("need two requests for 1,500 inputs", async () => {
    const inputs = Array.from({ length: 1_500 }, (_, i) => `n${i}.eth`);
    const { results } = await clientOf().lookup({ inputs });
    expect(results.map(({ input }) => input)).toEqual(inputs);
    expect(front.asked).toHaveLength(2);
  });

  test("join records of a name that come in several answers", async () => {
    const of = (fields: object) => ({ kind: "name", input: "alice.eth", domain: { known: true }, ...fields });
    const reply = (...results: object[]) => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ results, as_of: [] }),
    });
    const first = { texts: JSON.parse('{"__proto__":"odd"}'), addresses: {}, cleared: { texts: ["a"] } };
    const second = { texts: { url: "x" }, addresses: { 60: "0x01" }, cleared: { texts: ["b"] } };
    front.next.push(
      reply(of({ status: "partial", cursor: "next", records: first })),
      reply(of({ status: "ok", input: "next", records: second })),
    );
    const { results } = await clientOf().lookup({ inputs: ["alice.eth"], records: { cleared: true } });
    expect(front.asked.map(({ body }) => JSON.parse(body))).toEqual([
      { inputs: ["alice.eth"], records: { cleared: true } },
      { inputs: ["next"], records: { cleared: true } },
    ]);
    expect(JSON.parse(JSON.stringify(results))).toEqual([
      of({
        status: "ok",
        records: {
          texts: JSON.parse('{"__proto__":"odd","url":"x"}'),
          addresses: { 60: "0x01" },
          cleared: { texts: ["a", "b"] },
        },
      }),
    ]);
  });

  test("end if an answer brings nothing new", async () => {
    const leftOut = { kind: "left_out", input: "alice.eth", status: "left_out", cursor: "alice.eth" };
    const body = JSON.stringify({ results: [leftOut], as_of: [] });
    const reply = { status: 200, headers: { "content-type": "application/json" }, body };
    front.next.push(reply, reply);
    expect((await clientOf().lookup({ inputs: ["alice.eth"] })).results).toEqual([leftOut]);
    expect(front.asked).toHaveLength(2);
  });

  test("make no request for nothing", async () => {
    expect(await clientOf().whoisMany({})).toMatchObject({ results: [], summary: { total: 0 } });
    expect(await clientOf().primaryNames({ addresses: [] })).toEqual({ results: {}, as_of: [] });
    expect(await clientOf().lookup({ inputs: [] })).toEqual({ results: [], as_of: [] });
    expect(front.asked).toEqual([]);
  });

  test("fail only invalid items, and treat names of Object members as ordinary items", async () => {
    const odd = ["__proto__", "constructor", "not an address"];
    const { results } = await clientOf().primaryNames({ addresses: [...odd, account(1)] });
    expect(Object.keys(results)).toHaveLength(4);
    for (const text of odd) {
      expect(Object.getOwnPropertyDescriptor(results, text)?.value).toMatchObject({
        error: { code: "INVALID_ADDRESS" },
      });
    }
  });

  test("end at an error: pending requests are aborted, and no further one is sent", async () => {
    const fourth = expect.poll(() => front.asked.length).toBe(4);
    const refused = fourth.then(() => errorAnswer(401, "INVALID_API_KEY"));
    front.next.push("silent", refused, "silent", "silent");
    const names = Array.from({ length: 5_000 }, (_, i) => `n${i}.eth`);
    expect(await thrownBy(clientOf().whoisMany({ names }))).toBeInstanceOf(AccessError);
    await expect.poll(front.left).toBe(3);
    expect(front.asked).toHaveLength(4);
  });
});

describe("a metered service", () => {
  let service: SignupService;
  beforeAll(async () => {
    service = await startSignupService();
  });
  afterAll(() => service?.close());

  test("gives a key for a signed message, and accepts it with each request", async () => {
    const wallet = privateKeyToAccount(generatePrivateKey());
    const from = { headers: { "x-forwarded-for": "203.0.113.77" } };
    const { url } = service;
    const newcomer = createNamedex({ url });
    const { message } = await newcomer.postSignupNonce({ address: wallet.address }, from);
    const signature = await wallet.signMessage({ message });
    const { key, credits } = await newcomer.postSignup({ message, signature }, from);
    const namedex = createNamedex({ url, apiKey: key });
    await namedex.getWhoisByName({ name: "alice.eth" }, from);
    expect(await namedex.getSignupUsage({ days: 1 }, from)).toMatchObject({
      credits: credits - 1,
      usage: [{ operation: "GET /whois/{name}", requests: 1, credits: 1 }],
    });
    const stranger = createNamedex({ url, apiKey: `ens_${"x".repeat(32)}` });
    expect(await thrownBy(stranger.getWhoisByName({ name: "alice.eth" }, from))).toMatchObject({
      name: "AccessError",
      code: "INVALID_API_KEY",
      status: 401,
    });
  });

  test("sends no key to another server after a redirect", async () => {
    const elsewhere = await openFront();
    front.next.push({ status: 307, headers: { location: `${elsewhere.url}/whois/alice.eth` } });
    const call = clientOf({ apiKey: "ens_secret", retries: 0 }).getWhoisByName({ name: "alice.eth" });
    expect(await thrownBy(call)).toBeInstanceOf(ConnectionError);
    expect(front.asked.map(({ headers }) => headers["x-api-key"])).toEqual(["ens_secret"]);
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
  });
});
