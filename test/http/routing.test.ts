import { z } from "@hono/zod-openapi";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import { input } from "../../src/api/names/schemas/input.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import { addAsOf } from "../../src/api/server/http/asOf.ts";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import { brokenOperation, createTestApp } from "../support/app.ts";

const echo = endpoint({
  method: "get",
  path: "/echo/{name}",
  group: "System",
  summary: "Echo",
  params: z.object({ name: input.name() }),
  query: z.object({
    page: input.digits("page", { min: 1, max: 10 }).optional(),
    sort: input.choice(["asc", "desc"], "sort").optional(),
    flag: input.optionalFlag("flag", "A flag"),
  }),
  reply: z.strictObject({ name: z.string(), page: z.number().nullable(), flag: z.boolean().nullable() }),
  errors: ["INVALID_NAME"],
  cost: 1,
  handle: async ({ name, page, flag }) => ({ name: name.name, page: page ?? null, flag: flag ?? null }),
});

const batch = endpoint({
  method: "post",
  path: "/batch",
  group: "System",
  summary: "Batch",
  query: z.object({ flag: input.flag("flag", "A flag") }),
  body: z.object({ names: z.array(z.string()), address: input.address().optional() }),
  reply: z.strictObject({ count: z.number() }),
  cost: ({ names }) => names.length,
  handle: async ({ names }) => ({ count: names.length }),
});

const note = endpoint({
  method: "get",
  path: "/note/{name}/{key}",
  group: "System",
  summary: "Note",
  params: z.object({ name: input.name(), key: z.string() }),
  reply: z.strictObject({ key: z.string() }),
  cost: 0,
  handle: async ({ key }) => ({ key }),
});

const keyed = endpoint({
  method: "get",
  path: "/keyed",
  group: "System",
  summary: "Keyed",
  query: z.object({ key: z.string().optional() }),
  emptyParam: "key",
  reply: z.strictObject({ key: z.string().nullable() }),
  cost: 0,
  handle: async ({ key }) => ({ key: key ?? null }),
});

/** A key that may be empty is at the end or between two parts. */
const marks = ["/mark/{name}/{key}", "/mark/{name}/{key}/history"].map((path) =>
  endpoint({
    method: "get",
    path,
    group: "System",
    summary: "Mark",
    params: z.object({ name: input.name(), key: z.string().max(3) }),
    emptyParam: "key",
    query: z.object({ page: input.digits("page", { min: 1, max: 10 }).optional() }),
    reply: z.strictObject({ name: z.string(), key: z.string(), page: z.number().nullable() }),
    cost: 0,
    handle: async ({ name, key, page }) => ({ name: name.name, key, page: page ?? null }),
  }),
);

const broken = brokenOperation('relation "secret" does not exist');

const refused = endpoint({
  method: "get",
  path: "/refused",
  group: "System",
  summary: "Refused",
  reply: z.strictObject({}),
  cost: 0,
  handle: async () => {
    throw new ApiError("LIVE_RESOLUTION_FAILED", "The chain could not be asked.");
  },
});

const pages = new Hono().get("/page", (c) => c.text("a page"));
const app = createTestApp({ operations: [echo, batch, note, keyed, ...marks, broken, refused], pages });

const ask = async (path: string, init?: RequestInit) => {
  const reply = await app.request(path, init);
  return {
    status: reply.status,
    body: (await reply.json()) as Record<string, unknown>,
    headers: reply.headers,
  };
};

const post = (body: string) =>
  ask("/batch", { method: "POST", body, headers: { "content-type": "application/json" } });

const fault = (code: string) => ({ error: { code, message: expect.stringMatching(/\S.*\.$/) } });

describe("routes", () => {
  test("are served with and without /api", async () => {
    const answer = { name: "alice.eth", page: 2, flag: true, as_of: [] };
    expect((await ask("/echo/ALICE.eth?page=2&flag=true")).body).toEqual(answer);
    expect((await ask("/api/echo/ALICE.eth?page=2&flag=true")).body).toEqual(answer);
    expect(await (await app.request("/api/page")).text()).toBe("a page");
  });

  test("serve /api/ as /", async () => {
    const first = new Hono().get("/", (c) => c.text("first page"));
    const withRoot = createTestApp({ operations: [], pages: first });
    const [root, api] = [await withRoot.request("/"), await withRoot.request("/api/")];
    expect([api.status, await api.text()]).toEqual([200, await root.text()]);
  });

  test("expose the headers that browsers would hide from programs", async () => {
    expect((await ask("/echo/alice.eth")).headers.get("access-control-expose-headers")).toContain(
      "Retry-After",
    );
  });

  test("answer HEAD as GET without a body", async () => {
    const reply = await app.request("/echo/alice.eth", { method: "HEAD" });
    expect([reply.status, await reply.text()]).toEqual([200, ""]);
  });

  test("answer OPTIONS with the allowed methods", async () => {
    const reply = await app.request("/echo/alice.eth", { method: "OPTIONS" });
    expect([reply.status, reply.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });
});

describe("an empty parameter counts as left out", () => {
  test.each(["page=&sort=&flag=", "page=&strict="])("of a GET: %s", async (query) => {
    expect(await ask(`/echo/alice.eth?${query}`)).toMatchObject({
      status: 200,
      body: { page: null, flag: null },
    });
  });

  test("of a POST", async () => {
    const reply = await ask("/batch?flag=&strict=", {
      method: "POST",
      body: '{"names":["a"]}',
      headers: { "content-type": "application/json" },
    });
    expect(reply).toMatchObject({ status: 200, body: { count: 1 } });
  });

  test("unless the empty text is a value", async () => {
    expect((await ask("/keyed?key=")).body).toMatchObject({ key: "" });
    expect((await ask("/keyed")).body).toMatchObject({ key: null });
  });
});

/* Invalid values and bodies: see query/badInput.test.ts, which sends them to every operation. */
describe("errors", () => {
  test.each(["/nothing", "/api/nothing", "/api", "/echo", "/echo/a/b", "/apiecho/alice.eth"])(
    "%s does not exist",
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, body: fault("NOT_FOUND") });
    },
  );

  test("a wrong method is answered with the allowed ones", async () => {
    const reply = await ask("/api/echo/alice.eth", { method: "DELETE" });
    expect(reply).toMatchObject({ status: 405, body: fault("METHOD_NOT_ALLOWED") });
    expect(reply.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect((await ask("/batch")).headers.get("allow")).toBe("POST, OPTIONS");
  });

  test.each([
    ["/echo/alice.eth?page=-1", "`page` must be at least 1."],
    ["/echo/alice.eth?page=99999999999999999999", "`page` must be at most 10."],
    ["/note/alice.eth/", "`key` is empty: the path ends too early."],
    ["/note//avatar", "The name is missing."],
  ])("%s is answered with what is wrong with it", async (path, message) => {
    expect((await ask(path)).body).toMatchObject({ error: { message } });
  });

  test.each(["", "/history"])("a key in a path is exact, or an error (%s)", async (rest) => {
    expect(await ask(`/mark/alice.eth/abc${rest}`)).toMatchObject({ status: 200, body: { key: "abc" } });
    const refused = { status: 400, body: { error: { code: "INVALID_PARAMETER" } } };
    for (const prefix of ["", "/api"])
      expect(await ask(`${prefix}/mark/alice.eth/${rest}`)).toMatchObject(refused);
    // Node's server resolves dots before the application sees the path.
    for (const dots of [".", "..", "%2e", "%2E%2e", ".%2E"]) {
      const url = `/mark/alice.eth/${dots}${rest}?page=1`;
      const reply = await app.request(
        new URL(url, "http://localhost").href,
        {},
        { incoming: { url, socket: {} } },
      );
      expect([dots, reply.status, await reply.json()]).toMatchObject([dots, 400, refused.body]);
    }
    for (const key of ["...", ".a", "a.", "%2ea"])
      expect(
        (
          await app.request(
            `/mark/alice.eth/${key}${rest}`,
            {},
            { incoming: { url: `/x/${key}`, socket: {} } },
          )
        ).status,
      ).toBe(200);
  });

  test.each(["[]", "[1]", "null", '"a"'])("the body %s must be an object", async (body) => {
    expect((await post(body)).body).toMatchObject({
      error: { code: "INVALID_PARAMETER", message: "The body must be a JSON object." },
    });
  });

  test("with `strict=false`, undeclared parameters are ignored and named in the answer", async () => {
    const ignored = async (query: string) => {
      const { status, headers } = await ask(`/echo/alice.eth?strict=false&${query}`);
      return [status, headers.get("x-ignored-parameters")];
    };
    expect(await ignored("page=2")).toEqual([200, null]);
    expect(await ignored("colour=blue&page=1&flag[]=true")).toEqual([200, "colour, flag%5B%5D"]);
    expect(await ignored("a%0d%0aSet-Cookie=1&%F0%9F%98%80=1")).toEqual([
      200,
      "a%0D%0ASet-Cookie, %F0%9F%98%80",
    ]);
    const many = Array.from({ length: 50 }, (_, i) => `x${i}=1`).join("&");
    expect(await ignored(many)).toEqual([200, expect.stringMatching(/^x0(, x\d){9}$/)]);
    expect(await ignored(`${"y".repeat(500)}=1`)).toEqual([200, "y".repeat(64)]);
  });

  test("without `strict` and with `strict=true`, they are an error that names them", async () => {
    const strict = (query: string) => ask(`/echo/alice.eth?${query}`);
    const named = (names: string) => ({
      status: 400,
      body: {
        error: { code: "INVALID_PARAMETER", message: expect.stringContaining(`parameters: ${names}.`) },
      },
    });
    expect(await strict("colour=blue&page=1")).toMatchObject(named("colour"));
    expect(await strict("strict=true&colour=blue&page=1")).toMatchObject(named("colour"));
    expect(await strict("strict=true&page=1")).toMatchObject({ status: 200, body: { page: 1 } });
    expect((await strict("strict=false&colour=blue")).status).toBe(200);
    expect((await strict("strict=maybe")).status).toBe(400);
    expect((await strict("strict=true&strict=false")).status).toBe(400);
    // Operations without parameters of their own accept it too.
    expect((await ask("/note/alice.eth/a?strict=true")).status).toBe(200);
    expect(await ask("/note/alice.eth/a?strict=true&b=1")).toMatchObject(named("b"));
    expect(await ask("/mark/alice.eth/a?strict=true&b=1")).toMatchObject(named("b"));
  });

  test("an internal error is logged in full and answered without its text", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const reply = await ask("/broken");
    expect(reply).toMatchObject({ status: 500, body: fault("INTERNAL_ERROR") });
    expect(JSON.stringify(reply.body)).not.toContain("secret");
    expect(log.mock.calls.flat().join(" ")).toContain("secret");
    log.mockRestore();
  });

  test("each code has its status", async () => {
    expect(await ask("/refused")).toMatchObject({ status: 502, body: fault("LIVE_RESOLUTION_FAILED") });
  });
});

test("an answer names its blocks in the index, and the one at which the chain was read", () => {
  const hash = `0x${"ab".repeat(32)}` as const;
  const position = [{ chainId: 1, number: 7, hash, timestamp: 70, isFinal: true }];
  const indexed = { chain_id: 1, source: "indexed", block_number: 7, block_hash: hash };
  const inIndex = { ...indexed, block_timestamp: 70, is_final: true };
  const read = { number: 9, timestamp: 90 };
  const live = { chain_id: 1, source: "live", block_number: 9, block_timestamp: 90 };
  expect(addAsOf({ a: 1 }, { position, live: null, chainId: 1 })).toEqual({ a: 1, as_of: [inIndex] });
  expect(addAsOf({}, { position, live: read, chainId: 1 })).toEqual({ as_of: [inIndex, live] });
});
