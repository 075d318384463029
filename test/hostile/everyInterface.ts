import assert from "node:assert/strict";
import { NAME, textsSet } from "./attacks/texts.ts";
import type { HostileStage } from "./stage.ts";

/*
 * After odd texts were put everywhere, each interface returns them, well-formed, as they were set. `ask.ts` requests operations
 * and calendars, `test/webhooks/foreignRows.test.ts` covers webhooks, and `test/ops/export.apart.test.ts` exports.
 */

type Change = {
  type: string;
  key?: string | null;
  new_value?: { value?: string | null } | null;
  position: string;
};

const encode = encodeURIComponent;
/** A longer text is in the feed by its hash. */
const MOST = 1_024;
const isWhole = (text: string): boolean => Buffer.byteLength(text) <= MOST;

/** The feed has the texts as set, in its pages, its stream and as a tool, and REST returns the same. */
export async function expectFeed(stage: HostileStage, seed: number): Promise<void> {
  const { url } = stage.stack;
  const wanted = new Map([...textsSet(seed)].filter(([key, value]) => isWhole(key) && isWhole(value)));
  assert(wanted.size > 30);
  const changes: Change[] = [];
  for (let after = "oldest", more = true; more; ) {
    const page = await json<{
      changes: Change[];
      next_position: string;
      has_more: boolean;
      gap_timestamp: number | null;
    }>(`${url}/changes?name=${NAME}&limit=50&after=${after}`);
    assert.equal(page.gap_timestamp, null);
    changes.push(...page.changes);
    [after, more] = [page.next_position, page.has_more];
  }
  const said = textsIn(changes);
  for (const [key, value] of wanted) {
    assert.equal(said.get(key), value, `the feed has ${JSON.stringify(key)}`);
    if (key.length === 0 || key.includes("/") || key === ".") continue;
    const { status, body } = await stage.stack.api<{ value: string | null }>(
      `/domain/${NAME}/records/text/${encode(key)}`,
    );
    // A key with NUL cannot be part of a path.
    if (status === 200) assert.equal(body.value, value, `REST has ${JSON.stringify(key)}`);
    else assert(key.includes("\0") || /^\.\.?$/.test(key), `${JSON.stringify(key)}: ${status}`);
  }
  const streamed = await readStream(
    `${url}/changes/stream?name=${NAME}&after=oldest`,
    changes.findLast(isText)?.position ?? "",
  );
  assert.deepEqual(streamed.filter(isText), changes.filter(isText));
  const called = await post<{ result: { content: [{ text: string }] } }>(`${url}/mcp`, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_changes", arguments: { name: NAME, limit: 50 } },
  });
  // Tools omit hashes that follow from the name, and add days to seconds.
  const { changes: told } = JSON.parse(called.result.content[0].text) as { changes: Change[] };
  const texts = (list: readonly Change[]) =>
    list.filter(isText).map(({ type, position, key, new_value }) => [type, position, key, new_value]);
  assert.deepEqual(texts(told), texts(changes.slice(0, told.length)));
}

const isText = ({ type }: Change): boolean => type === "record.text.changed";

const textsIn = (changes: readonly Change[]): Map<string, string | null> =>
  new Map(
    changes
      .filter(isText)
      .flatMap(({ key, new_value }) => (key != null ? [[key, new_value?.value ?? null] as const] : [])),
  );

/** The query language has the texts without NUL, as the subgraph stores them. */
export async function expectSubgraph({ stack }: HostileStage, seed: number): Promise<void> {
  const query = `{ domains(where: { name: "${NAME}" }) { __proto__: name resolver { texts events(first: 1000) {
    ... on TextChanged { key value } ... on NameChanged { name } } } } }`;
  type Answer = {
    data: { domains: { resolver: { texts: string[]; events: { key?: string; value?: string }[] } }[] };
  };
  const { data } = await post<Answer>(`${stack.url}/subgraph`, { query });
  const [domain] = data.domains;
  assert(domain && Object.hasOwn(domain, "__proto__"));
  const plain = (text: string) => text.replaceAll("\0", "");
  // Events are not in chronological order, and a key can be set more than once.
  const said = new Set(domain.resolver.events.map(({ key, value }) => JSON.stringify([key, value])));
  for (const [key, value] of textsSet(seed)) {
    const isSaid = said.has(JSON.stringify([plain(key), plain(value)]));
    assert(isSaid || plain(value) === "", `${JSON.stringify(key)}: ${JSON.stringify(value).slice(0, 200)}`);
  }
}

/** Pages show no control character, and no table cell is a formula. */
export async function expectPages({ stack, mallory }: HostileStage): Promise<void> {
  for (const path of [`name/${NAME}`, `address/${mallory}`]) {
    const reply = await fetch(`${stack.url}/explore/${path}`);
    const html = await reply.text();
    assert.equal(reply.status, 200, path);
    assert.doesNotMatch(html, /[^\P{Cc}\t\n\r]|<x>/u, path);
  }
  const csv = await (await fetch(`${stack.url}/explore/address/${mallory}/names.csv`)).text();
  const cells = [...csv.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n)/g)].map(([, cell = ""]) => cell);
  assert(cells.length > 30);
  assert.equal(
    cells.reduce((sum, cell) => sum + cell.length + 3, 0) + csv.split('"\r\n').length - 1,
    csv.length,
  );
  for (const cell of cells) assert.doesNotMatch(cell.normalize("NFKC"), /^[\p{C}\p{Z}]*[=+\-@]/u);
  assert(cells.some((cell) => cell.startsWith("'=1+1")));
}

async function json<Body>(url: string, init?: RequestInit): Promise<Body> {
  const reply = await fetch(url, init);
  const text = await reply.text();
  assert.equal(reply.status, 200, `${url}: ${text.slice(0, 300)}`);
  // An MCP server may answer with one event.
  return JSON.parse(text.replace(/^event: message\ndata: /, "")) as Body;
}

const post = <Body>(url: string, body: unknown): Promise<Body> =>
  json(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", accept: "*/*" },
  });

const STREAM_MS = 30_000;

/** The events of a stream up to a position. @throws if it does not arrive */
async function readStream(url: string, last: string): Promise<Change[]> {
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(STREAM_MS)]);
  const reply = await fetch(url, { signal });
  const changes: Change[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of reply.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = /^event: change\n(?:id: .*\n)?data: ([^\r\n]*)$/.exec(event)?.[1];
      if (data !== undefined) changes.push(JSON.parse(data) as Change);
      else assert.match(event, /^(:|retry: )/, event.slice(0, 200));
    }
    if (changes.some(({ position }) => position === last)) break;
  }
  end.abort();
  return changes;
}
