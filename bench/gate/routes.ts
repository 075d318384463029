import { chanceOf } from "../api/chance.ts";
import { drawSkewed, type GateSamples, NEEDED } from "./samples.ts";
import type { Goal } from "./seen.ts";

/** A route under load. */
export type Route = {
  name: string;
  goal: Goal;
  /** Requests a second; another number than of all others for what costs a hundred of them. */
  perSecond?: number;
  asked: { path: string; body?: string }[];
  /** True for lists: a tenth of their requests continue from a cursor. */
  hasPages?: true;
  /** Entries on the pages from whose cursors is gone on, where most lists are shorter than a usual page. */
  shortPage?: number;
  /** Which of its samples are fewer than it needs, in words. */
  short: string | null;
};

const QUICK: Goal = { p50: 5, p95: 10, p99: 25 };
const PRIMARY: Goal = { p50: 10, p95: 25, p99: 50 };
const USUAL: Goal = { p50: 25, p95: 75, p99: 150 };
const LIST: Goal = { p50: 50, p95: 150, p99: 300 };

const COUNT = 20_000;
/** One request in this many asks for something that does not exist. */
const ABSENT = 10;
const LOOKUPS = 500;

/** What the gate asks, of each route. */
export function routesOf(samples: GateSamples): Route[] {
  const encoded = (name: string) => encodeURIComponent(name);
  const ofNames = (path: (name: string) => string) =>
    drawn(samples.names, (i) => `absent-name-${i}.eth`).map((name) => ({ path: path(encoded(name)) }));
  const ofOwners = (path: (address: string) => string) =>
    drawn(samples.owners, absentAddress).map((address) => ({ path: path(address) }));
  const short = (kind: keyof GateSamples): string | null =>
    samples[kind].length >= NEEDED[kind]
      ? null
      : `${samples[kind].length} ${kind}, ${NEEDED[kind]} are needed`;
  const parents = drawSkewed(samples.parents, { count: COUNT, seed: 3 });
  const parts = drawSkewed(samples.parts, { count: COUNT, seed: 4 });
  return [
    { name: "/whois/{name}", goal: USUAL, asked: ofNames((name) => `/whois/${name}`), short: short("names") },
    {
      name: "/domain/{name}/records",
      goal: USUAL,
      short: short("names"),
      asked: ofNames((name) => `/domain/${name}/records`),
    },
    {
      name: "/address/{address}/primary-name",
      goal: PRIMARY,
      short: short("claimants"),
      asked: drawn(samples.claimants, absentAddress).map((one) => ({ path: `/address/${one}/primary-name` })),
    },
    {
      name: "/address/{address}/domains",
      goal: USUAL,
      hasPages: true,
      short: short("owners"),
      asked: ofOwners((address) => `/address/${address}/domains`),
    },
    {
      name: "/search-domains, text",
      goal: USUAL,
      hasPages: true,
      short: short("parts"),
      asked: parts.map((part) => ({ path: `/search-domains?q=${encoded(part)}` })),
    },
    {
      name: "/domain/{name}/subdomains",
      goal: LIST,
      hasPages: true,
      short: short("parents"),
      asked: parents.map((name) => ({ path: `/domain/${encoded(name)}/subdomains` })),
    },
    {
      name: "/domain/{name}/events",
      goal: LIST,
      hasPages: true,
      shortPage: 4,
      short: short("names"),
      asked: ofNames((name) => `/domain/${name}/events`),
    },
    {
      name: "/address/{address}/events",
      goal: LIST,
      hasPages: true,
      short: short("owners"),
      asked: ofOwners((address) => `/address/${address}/events`),
    },
    {
      name: "/domain/{name}/ownership-history",
      goal: LIST,
      hasPages: true,
      shortPage: 1,
      short: short("names"),
      asked: ofNames((name) => `/domain/${name}/ownership-history`),
    },
    {
      name: "/lookup of 1",
      goal: QUICK,
      short: short("names"),
      asked: lookups(samples, 1, COUNT),
    },
    {
      name: "/lookup of 100",
      goal: QUICK,
      perSecond: 200,
      short: short("names"),
      asked: lookups(samples, 100, LOOKUPS),
    },
  ];
}

/** Samples, the first far oftener, and absent ones among them. */
function drawn(samples: readonly string[], absent: (i: number) => string): string[] {
  const chance = chanceOf(7);
  return drawSkewed(samples, { count: COUNT, seed: 1 }).map((one, i) =>
    chance.is(1 / ABSENT) ? absent(i) : one,
  );
}

const absentAddress = (i: number): string =>
  `0x${(0xab5e_0000_0000n + BigInt(i)).toString(16).padStart(40, "0")}`;

function lookups(samples: GateSamples, size: number, count: number): Route["asked"] {
  const inputs = drawn(samples.names, (i) => `absent-name-${i}.eth`);
  return Array.from({ length: count }, (_, i) => ({
    path: "/lookup",
    body: JSON.stringify({
      inputs: Array.from({ length: size }, (_, k) => inputs[(i * size + k) % inputs.length]),
    }),
  }));
}
