import { connect, type Socket } from "node:net";
import { errorCodes } from "../../../src/api/server/errors/errors.ts";
import { type Asked, allRecords, askAll } from "../ask.ts";
import type { Attack } from "../attack.ts";
import type { Operation } from "../operations.ts";
import { type HostileStage, VICTIM } from "../stage.ts";
import { crowd } from "./crowd.ts";
import { forgedCursors, forgedInEveryList, forgedInputs, slowFilters } from "./cursors.ts";
import { slowEvents } from "./events.ts";

type Question = { path: string; body: string };

const bulk = (body: unknown): Question => ({ path: "/whois/bulk", body: JSON.stringify(body) });
const lookup = (inputs: readonly string[]): Question => ({
  path: "/lookup",
  body: JSON.stringify({ inputs, records: allRecords, primary_name_check: true }),
});
const many = <T>(count: number, value: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => value(i));

const operationOf = ({ operations }: HostileStage, path: string): Operation => {
  const found = operations.find((operation) => operation.path === path);
  if (found === undefined) throw new Error(`No operation has the path ${path}`);
  return found;
};

/** Requests with a body. */
const posting = (name: string, questions: readonly Question[]): Attack => ({
  name,
  run: async (stage) => {
    await askAll(
      stage,
      questions.map(({ path, body }) => ({ operation: operationOf(stage, path), path, body })),
    );
    return {};
  },
});

/** As many labels as a name of 1,024 bytes can have. */
const longestPath = (index: number) => `${String.fromCharCode(97 + (index % 26))}.`.repeat(500).concat("eth");

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, "0")}`;

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

const brokenBodies: readonly string[] = [
  "",
  "null",
  "[]",
  "0",
  '"names"',
  "{",
  deep,
  `{"names":${deep}}`,
  "\0",
  "\ud800",
  '{"names":"alice.eth"}',
  '{"names":[null]}',
  '{"names":[1e308]}',
  '{"names":[{}]}',
  '{"names":{"length":500}}',
  '{"__proto__":{"names":["a.eth"]}}',
  '{"names":["a.eth"],"names":[1]}',
  `{"names":[${"1,".repeat(20_000)}1]}`,
  JSON.stringify({ names: many(501, () => "a.eth") }),
  JSON.stringify({ names: ["a".repeat(1_048_570)] }),
  JSON.stringify({ names: many(400, () => `${"a".repeat(2_000)}.eth`) }),
];

const oddTexts: readonly string[] = [
  "\0",
  "\ufeff",
  "\u202ealice.eth",
  "😀".repeat(50),
  "é".repeat(500),
  "a".repeat(5_000),
  "%",
  "_",
  "\\",
  "'",
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "-1",
  "1e9",
  "1000000000",
  "9".repeat(400),
  "٣",
  "０",
  "ﷺ".repeat(80),
  "[",
  "[]",
  `[${"ab".repeat(32)}]`,
  `[${"ab".repeat(32)}].`.repeat(15),
  "a".repeat(12_000),
  "Z̴̛".repeat(300),
];

const keys = (count: number) => Object.fromEntries(many(count, (i) => [`k${i}`, 0]));
const call = (params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

/** Small in bytes, but large once parsed by a library. */
const manyKeys = (count: number): Attack => ({
  name: `bodies of ${count.toLocaleString("en")} keys, values or levels over MCP and in a bulk`,
  run: async ({ stack }) => {
    const bodies = [
      { path: "/mcp", body: call(keys(count)) },
      { path: "/mcp", body: call({ _meta: keys(count) }) },
      { path: "/mcp", body: call({ name: "whois", arguments: keys(count) }) },
      { path: "/mcp", body: `[${"{},".repeat(count)}{}]` },
      { path: "/mcp", body: `${"[".repeat(count)}${"]".repeat(count)}` },
      { path: "/whois/bulk", body: JSON.stringify({ names: ["a.eth"], ...keys(count) }) },
      { path: "/whois/bulk", body: JSON.stringify({ names: many(count, () => "a") }) },
    ];
    for (const { path, body } of many(4, () => bodies).flat()) {
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${stack.url}${path}`, { method: "POST", body, headers });
      if (reply.status !== 400) throw new Error(`${path}: ${reply.status}`);
      await reply.arrayBuffer();
    }
    return { names: [VICTIM] };
  },
});

const multipart = "multipart/form-data; boundary=b";

/** The one form that the service accepts, as large as a body may be, or in the form of files. */
const forms = crowd("forms that are large, or of many parts", {
  atOnce: 4,
  statuses: [errorCodes.LIMIT_EXCEEDED.status, errorCodes.INVALID_PARAMETER.status],
  requests: many(5, () => [
    ["application/x-www-form-urlencoded", "a&".repeat(524_000)],
    ["application/x-www-form-urlencoded", "a[]=%00&".repeat(131_000)],
    [multipart, `--b\r\n\r\n${"a".repeat(500_000)}`],
    [multipart, '--b\r\nContent-Disposition: form-data; name="k"\r\n\r\n\r\n'.repeat(400)],
  ])
    .flat()
    .map(([type = "", body = ""]) => [
      "/explore/key",
      { method: "POST", headers: { "content-type": type }, body },
    ]),
});

const foreignForms = crowd("forms for a key from pages of other sites", {
  atOnce: 8,
  statuses: [errorCodes.FORBIDDEN_ORIGIN.status, errorCodes.RATE_LIMITED.status],
  requests: many(200, () => [
    "/explore/key",
    {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://evil.example" },
      body: `key=a&back=${"a".repeat(16_000)}`,
    },
  ]),
});

/** The last page of a list, and those after it. */
const latePages = crowd("requests for late pages", {
  atOnce: 60,
  statuses: [200, errorCodes.LIMIT_EXCEEDED.status],
  requests: many(600, (i) => [`/search-domains?page=${[41, 300, 800, 4_000, 4_001, 39_000][i % 6]}`]),
});

const cursors = crowd("requests with cursors that no answer gave", {
  atOnce: 20,
  statuses: [200, errorCodes.INVALID_PARAMETER.status],
  requests: many(10, forgedCursors).flatMap((paths) => paths.map((path): [string] => [path])),
});

const filters = crowd("lists by filters that are chosen to be slow", {
  atOnce: 30,
  statuses: [200],
  requests: many(20, () => slowFilters).flatMap((paths) => paths.map((path): [string] => [path])),
});

const events = crowd("lists of events by filters that find nothing among much", {
  atOnce: 20,
  statuses: [200, errorCodes.INVALID_PARAMETER.status, errorCodes.LIMIT_EXCEEDED.status],
  requests: many(10, () => slowEvents).flatMap((paths) => paths.map((path): [string] => [path])),
});

const pings = crowd("messages over MCP that nothing pays for", {
  atOnce: 8,
  statuses: [200, errorCodes.RATE_LIMITED.status],
  requests: many(500, (id) => [
    "/mcp",
    {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }),
    },
  ]),
});

/**
 * Every parameter of every GET operation with every odd text, or with some of them in turn: consecutive operations get different
 * texts for a shared parameter.
 */
function oddParameters({ operations }: HostileStage, textsOfEach: number): Asked[] {
  let turn = 0;
  const texts = () => {
    const first = turn++ * textsOfEach;
    return oddTexts.map((_, i) => oddTexts[(first + i) % oddTexts.length] ?? "").slice(0, textsOfEach);
  };
  return operations
    .filter(({ method }) => method === "get")
    .flatMap((operation) => [
      ...operation.inPath.flatMap((parameter) =>
        texts().map((text) => ({ operation, path: pathWith(operation.path, parameter, text) })),
      ),
      ...operation.inQuery.flatMap((parameter) =>
        texts().map((text) => ({
          operation,
          path: `${pathWith(operation.path)}?${parameter}=${encodeURIComponent(text.toWellFormed())}`,
        })),
      ),
    ]);
}

const usual: Record<string, string> = {
  name: VICTIM,
  address: `0x${"11".repeat(20)}`,
  hash: `0x${"22".repeat(32)}`,
  key: "url",
  agentId: "1",
};

const pathWith = (path: string, parameter?: string, text = ""): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(name === parameter ? text.toWellFormed() : (usual[name] ?? "")),
  );

/** Callers who send a request and never read its answer. They leave when the attack ends. */
const deafReaders = (count: number): Attack => ({
  name: `${count} callers who read no answer`,
  run: async (stage) => {
    const { port } = new URL(stage.stack.url);
    const request = `GET /search-domains HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const sockets = await Promise.all(many(count, () => stopReading(Number(port), request)));
    const answers = await askAll(stage, [
      { operation: operationOf(stage, "/whois/{name}"), path: `/whois/${VICTIM}` },
    ]);
    for (const socket of sockets) socket.destroy();
    if (answers[0]?.status !== 200) throw new Error(`Others got ${answers[0]?.status}`);
    return { names: [VICTIM] };
  },
});

function stopReading(port: number, request: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.pause();
    socket.once("error", reject);
    socket.write(request, () => {
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** Requests to the API without a key. Each parameter gets this many of the odd texts. */
export const attacksByRequests = ({ oddTexts: textsOfEach }: { oddTexts: number }): readonly Attack[] => [
  posting("a bulk request of 500 names of 501 labels", [bulk({ names: many(500, longestPath) })]),
  posting("a bulk request of 500 names that are slow to normalise", [
    bulk({ names: many(500, (index) => `${"Å̧😀ﷺ".repeat(60)}${index}.eth`) }),
  ]),
  posting("a look-up of 1,000 names of 501 labels with all records", [lookup(many(1_000, longestPath))]),
  posting("a look-up of 1,000 inputs that are slow to normalise, or no input at all", [
    lookup(many(1_000, (index) => `${"Å̧😀ﷺ".repeat(20)}${index}.eth`)),
    lookup(many(1_000, (index) => `cursor_${"A".repeat(900)}${index}`)),
    lookup(forgedInputs(1_000)),
    {
      path: "/lookup",
      body: JSON.stringify({ inputs: many(1_000, addressOf), relations: ["effective_owner"] }),
    },
  ]),
  posting("bodies that are broken, deep, large or of wrong types", [
    ...brokenBodies.map((body) => ({ path: "/lookup", body: body.replace('"names"', '"inputs"') })),
    ...brokenBodies.map((body) => ({ path: "/whois/bulk", body })),
    ...brokenBodies.map((body) => ({ path: "/address/primary-names/bulk", body })),
  ]),
  {
    name: "odd texts in every parameter",
    run: async (stage) => {
      await askAll(stage, oddParameters(stage, textsOfEach));
      return {};
    },
  },
  manyKeys(80_000),
  forms,
  foreignForms,
  pings,
  latePages,
  cursors,
  forgedInEveryList,
  filters,
  events,
  deafReaders(100),
];
