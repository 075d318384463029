import { Agent, request as ask, type ClientRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CONNECTIONS, type Kept, type Seen } from "./seen.ts";

/*
 * A process of its own. Requests leave it when they are due, whether or not those before are answered: a server that falls
 * behind is not asked less for it. A time counts from the moment at which its request was due.
 */

/** One request of the API, or one statement of the database. */
export type Asked =
  | { path: string; body?: string }
  | { statement: { name: string; text: string; values: string[] } };

export type Arrivals = {
  /** Of the API, or of the database for statements. */
  url: string;
  /** Asked in turn, again from the first one after the last. */
  asked: Asked[];
  perSecond: number;
  seconds: number;
  /** Each answer of this number is kept whole, another one of them each time; 0 for none. */
  keepEvery: number;
};

/** More unanswered requests than these are a server that does not hold the rate: what is due then counts as failed. */
const MOST_WAITING = 4_000;
/** An answer may take so long after the last request is sent. */
const PATIENCE_MS = 5_000;
/** As many as a pool of the API has. */
const DATABASE_CONNECTIONS = 10;

process.on("message", (arrivals: Arrivals) => {
  run(arrivals).then(
    (seen) => process.send?.({ seen }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});

type Answer = { isRight: boolean; text: string };
type Asker = { ask: (one: Asked) => Promise<Answer>; close: () => Promise<void> };

async function run({ url, asked, perSecond, seconds, keepEvery }: Arrivals): Promise<Seen> {
  const asker = url.startsWith("postgres") ? askDatabase(url) : askApi(url);
  const times: number[] = [];
  const kept: Kept[] = [];
  let failed = 0;
  let waiting = 0;
  const begun = performance.now();
  const send = async (i: number) => {
    const due = begun + (i * 1_000) / perSecond;
    if (waiting >= MOST_WAITING) return void failed++;
    waiting++;
    const one = asked[i % asked.length] as Asked;
    const { isRight, text } = await asker.ask(one).catch(() => ({ isRight: false, text: "" }));
    waiting--;
    if (!isRight) return void failed++;
    times.push(performance.now() - due);
    if (keepEvery > 0 && isKept(i, keepEvery) && "path" in one) kept.push({ ...one, text });
  };
  const count = Math.round(perSecond * seconds);
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) * perSecond) / 1_000) + 1);
    while (sent < due) void send(sent++);
    await sleep(1);
  }
  for (let rest = PATIENCE_MS; waiting > 0 && rest > 0; rest -= 10) await sleep(10);
  const unanswered = waiting;
  await asker.close();
  return { ...percentiles(times), answered: times.length / seconds, failed: failed + unanswered, kept };
}

/** One of each `every`; its place in them moves on. */
const isKept = (i: number, every: number): boolean => i % every === Math.floor(i / every) % every;

function percentiles(times: number[]): Pick<Seen, "p50" | "p95" | "p99"> {
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.POSITIVE_INFINITY;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function askApi(url: string): Asker {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const open = new Set<ClientRequest>();
  const send = (one: { path: string; body?: string }) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = one.body === undefined ? {} : { "content-type": "application/json" };
      const method = one.body === undefined ? "GET" : "POST";
      const sent = ask({ hostname, port, agent, method, path: one.path, headers }, (reply) => {
        const parts: Buffer[] = [];
        reply.on("data", (part: Buffer) => parts.push(part));
        reply.on("error", reject);
        reply.on("end", () =>
          resolve({ isRight: reply.statusCode === 200, text: Buffer.concat(parts).toString() }),
        );
      });
      open.add(sent);
      sent.on("error", reject);
      sent.on("close", () => open.delete(sent));
      sent.end(one.body);
    });
  return {
    ask: (one) => ("path" in one ? send(one) : Promise.reject(new Error("a statement for the API"))),
    close: async () => {
      for (const one of open) one.destroy();
      agent.destroy();
    },
  };
}

function askDatabase(connectionString: string): Asker {
  const pool = new pg.Pool({ connectionString, max: DATABASE_CONNECTIONS });
  pool.on("error", () => {}); // What is asked fails, and says so.
  return {
    ask: async (one) => {
      if (!("statement" in one)) throw new Error("a request for the database");
      const { rowCount } = await pool.query(one.statement);
      return { isRight: rowCount === 1, text: "" };
    },
    close: () => pool.end(),
  };
}
