/**
 * `npm run bench:gate`: which rates of arrival the API holds, route by route: one process, and more behind the gateway. Requests
 * come when they are due, whether or not those before are answered. A row without its goal is red, and so is one whose data
 * is short, whose answers differ from the rows, or under which the index moved.
 */
import { SCHEMA } from "../api/fill.ts";
import { type Server, startServer } from "../api/server.ts";
import { DATA, startAsker } from "../asker.ts";
import { isAsked, readOptions, reportOptions } from "../commandLine.ts";
import { judge, type Row, report } from "../report.ts";
import type { Arrivals, Asked } from "./arrivals.ts";
import { differences, stateOf } from "./compare.ts";
import { type Fleet, startReplicas, startStandbys } from "./fleet.ts";
import { continued, isFirstFull } from "./pages.ts";
import { type Route, routesOf } from "./routes.ts";
import { type GateSamples, takeGateSamples } from "./samples.ts";
import { type Goal, type Seen, whyNotHeld } from "./seen.ts";

const {
  names = 1_000_000,
  rate = 2_000,
  seconds = 60,
  replicas = 2,
  standbys = 0,
  only = "",
  data = DATA,
  ...files
} = readOptions("npm run bench:gate", {
  names: { value: "N", meaning: "how many names to generate; 1000000 unless told" },
  rate: { value: "N", meaning: "requests a second that a route has to hold; 2000 unless told" },
  seconds: { value: "N", meaning: "how long a rate has to be held; 60 unless told" },
  replicas: {
    value: "N",
    meaning: "how many more processes there are behind the gateway; 2 unless told, 0 for none",
  },
  standbys: {
    value: "N",
    meaning: "how many processes there are besides, each on a standby of the database; 0 unless told",
  },
  only: { value: "TEXT", meaning: "only routes whose name has this text; several with `|` between" },
  data: { value: "DIR", meaning: "where the generated databases are kept; .namedex/bench unless told" },
  ...reportOptions,
});
const say = (line: string) => console.error(line);

/** Where a rate is not held, the next lower one is tried: these shares of the rate that is asked for. */
const SHARES = [1, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02];
/** So long a rate is tried before it is measured in full. */
const TRIAL_SECONDS = 5;
const WARM_SECONDS = 10;
const KEEP_EVERY = 100;

const { ask: arrive, stop: stopArrivals } = startAsker<Arrivals, Seen>(
  new URL("./arrivals.ts", import.meta.url),
);

type Asking = { name: string; url: string; asked: Asked[]; goal: Goal; perSecond: number };
type Held = { perSecond: number; seen: Seen; why: string | null };

/** The highest rate that is held, measured for the whole time; the lowest of all, with why not, where none is. */
async function highestHeld({ url, asked, goal, perSecond, name }: Asking): Promise<Held> {
  const at = (tried: number, length: number, keepEvery = 0) =>
    arrive({ url, asked, perSecond: tried, seconds: length, keepEvery });
  await at(perSecond * (SHARES.at(-1) ?? 1), Math.min(WARM_SECONDS, seconds));
  let last: Held | undefined;
  for (const share of SHARES) {
    const tried = Math.round(perSecond * share);
    const trial = await at(tried, Math.min(TRIAL_SECONDS, seconds));
    const isLast = share === SHARES.at(-1);
    let why = whyNotHeld({ perSecond: tried, goal }, trial);
    say(`${name}, ${tried} a second: ${why ?? "held"}`);
    if (why !== null && !isLast) continue;
    const seen = await at(tried, seconds, KEEP_EVERY);
    why = whyNotHeld({ perSecond: tried, goal }, seen);
    last = { perSecond: tried, seen, why };
    if (why === null) break;
  }
  return last as Held;
}

const red = (name: string, value: number, unit: string): Row =>
  judge({ bench: "gate", name, value, unit, target: { of: "value", atMost: 0 } });

/** A route's rows: the rate that it holds, its times, and whatever makes the figure worthless. */
async function measureRoute(
  route: Route,
  fleet: { name: string; url: string },
  { pool }: Server,
): Promise<Row[]> {
  const name = `${route.name}, ${fleet.name}`;
  if (!(await isFirstFull(route, fleet.url))) return [red(`${name}: its first answer is empty`, 1, "faults")];
  const { asked, cursors } = route.hasPages
    ? await continued(route, fleet.url)
    : { asked: route.asked, cursors: null };
  const before = await stateOf(fleet.url, pool, SCHEMA);
  const perSecond = route.perSecond ?? rate;
  const held = await highestHeld({ name, url: fleet.url, asked, goal: route.goal, perSecond });
  const after = await stateOf(fleet.url, pool, SCHEMA);
  const differing = await differences(fleet.url, pool, held.seen.kept);
  for (const one of differing.slice(0, 3)) say(`${name}: ${one}`);
  const rows = [
    ...heldRows(name, held, perSecond),
    judge({
      bench: "gate",
      name: `${name}, compared`,
      value: held.seen.kept.length,
      unit: "answers",
      target: { of: "value", atLeast: 1 },
    }),
  ];
  if (route.short !== null) rows.push(red(`${name}: short of data, ${route.short}`, 1, "faults"));
  if (cursors === 0) rows.push(red(`${name}: no cursor to go on from`, 1, "faults"));
  if (before !== after) rows.push(red(`${name}: the index moved`, 1, "faults"));
  if (differing.length > 0) rows.push(red(`${name}: answers differ`, differing.length, "faults"));
  return rows;
}

function heldRows(name: string, { perSecond, seen, why }: Held, wanted: number): Row[] {
  const isHeld = why === null;
  return [
    judge({
      bench: "gate",
      name: isHeld ? name : `${name}: ${why}`,
      value: isHeld ? perSecond : 0,
      unit: "requests/s held",
      target: { of: "value", atLeast: wanted },
    }),
    ...(["p50", "p95", "p99"] as const).map((one) =>
      judge({
        bench: "gate",
        name: `${name}, at ${perSecond}/s`,
        value: Math.min(seen[one], 1e6),
        unit: `ms ${one}`,
      }),
    ),
  ];
}

/** What the database itself gives on this machine: one row by its key. */
async function measureDatabase(server: Server, { nodes }: GateSamples): Promise<Row[]> {
  const text = "select full_name, effective_owner_address from namedex_index.domains where node = $1";
  const asked = nodes.map((node) => ({ statement: { name: "least", text, values: [node] } }));
  const goal = { p50: 5, p95: 10, p99: 25 };
  const name = "the least query, the database alone";
  const held = await highestHeld({ name, url: server.databaseUrl, asked, goal, perSecond: rate });
  return heldRows(name, held, rate);
}

const plan = { names, data, say };
const server = await startServer(plan);
try {
  const samples = await takeGateSamples(server.pool);
  const routes = routesOf(samples).filter((one) => isAsked(only, one));
  const rows = await measureDatabase(server, samples);
  for (const route of routes)
    rows.push(...(await measureRoute(route, { name: "one process", url: server.url }, server)));
  const measureFleet = async (fleet: Fleet) => {
    try {
      for (const route of routes) rows.push(...(await measureRoute(route, fleet, server)));
    } finally {
      await fleet.stop();
    }
  };
  if (replicas > 0) await measureFleet(await startReplicas(server, { ...plan, replicas }));
  if (standbys > 0) await measureFleet(await startStandbys(server, { ...plan, standbys }));
  const made = `${names.toLocaleString("en")} generated names; each rate held for ${seconds} s, the asking program on the same machine`;
  report(rows, { ...files, made });
} finally {
  await server.stop();
  stopArrivals();
}
