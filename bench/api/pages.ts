import type { Request } from "autocannon";
import { judge, type Row } from "../report.ts";
import type { Load, Seen } from "./load.ts";
import type { Samples } from "./samples.ts";

/** A page of the explorer may take this many times as long as its operations. */
const MAX_RATIO = 2;

/** Addresses of a kind that are asked, at most: each has operations of its own. */
const SAMPLES = 40;

/** A kind of page, and addresses of it. */
type PageKind = { name: string; paths: string[] };

const kindsOf = ({ names, addresses, largestOwner, parents, parts, agents }: Samples): PageKind[] => {
  const nameUrls = names.map(({ name }) => `/explore/name/${encodeURIComponent(name)}`);
  const addressUrls = addresses.map((address) => `/explore/address/${address}`);
  const viewOf = (urls: string[], view: string) => urls.map((url) => `${url}?view=${view}`);
  return [
    { name: "page /", paths: ["/"] },
    { name: "page /explore/name/{name}", paths: nameUrls },
    { name: "page /explore/name/{name}, history", paths: viewOf(nameUrls, "history") },
    {
      name: "page /explore/name/{name}, subnames of large parents",
      paths: parents.map((name) => `/explore/name/${name}?view=subnames`),
    },
    { name: "page /explore/name/{name}, agents", paths: viewOf(nameUrls, "agents") },
    { name: "page /explore/address/{address}", paths: addressUrls },
    { name: "page /explore/address/{address}, largest owner", paths: [`/explore/address/${largestOwner}`] },
    { name: "page /explore/address/{address}, calendar", paths: viewOf(addressUrls, "calendar") },
    { name: "page /explore/address/{address}, primary names", paths: viewOf(addressUrls, "primary") },
    { name: "page /explore/address/{address}, names before", paths: viewOf(addressUrls, "previous") },
    { name: "page /explore/search", paths: ["/explore/search"] },
    { name: "page /explore/search, text", paths: parts.map((part) => `/explore/search?q=${part}`) },
    { name: "page /explore/agents", paths: ["/explore/agents"] },
    { name: "page /explore/agents/{id}", paths: agents.map((id) => `/explore/agents/${id}`) },
    { name: "page /explore/hash/{hash}", paths: names.map(({ node }) => `/explore/hash/${node}`) },
    ...["day", "week", "month"].map((interval) => ({
      name: `page /explore/statistics, by ${interval}`,
      paths: [`/explore/statistics?interval=${interval}`],
    })),
    { name: "page /explore/status", paths: ["/explore/status"] },
  ];
};

/** As a browser asks. */
const asBrowser = (path: string): Request => ({
  path,
  headers: { accept: "text/html", "accept-encoding": "gzip" },
});

/** Every page asks this for its first and last lines. */
const STATUS = "/indexing-status";

type PageOf = { path: string; operations: string[] };

/**
 * A page and its operations, which it lists at its end. Null for a page that the index alone cannot answer, because no
 * chain is asked here.
 */
async function look(url: string, path: string): Promise<PageOf | null> {
  const reply = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
  const [, list = ""] = (await reply.text()).split('id="answered"');
  if (reply.status !== 200) return null;
  const hrefs = [...list.matchAll(/<a class="mono" href="([^"]+)"/g)].map(([, href = ""]) => href);
  return { path, operations: [STATUS, ...hrefs.map((href) => `/${href.replaceAll("&amp;", "&")}`)] };
}

/** How often one visitor asks, in turn with the operations. */
const ROUNDS = 3;

const median = (numbers: number[]): number =>
  numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

type Asking = {
  url: string;
  samples: Samples;
  ask: (load: Omit<Load, "connections"> & { connections?: number }) => Promise<Seen>;
  seconds: number;
  isAsked: (kind: { name: string }) => boolean;
  say: (line: string) => void;
};

/**
 * Each page of the explorer, asked by one visitor at a time, against the operations that it stands on, asked one after the
 * other: the sum of their times.
 */
export async function measurePages({ url, samples, ask, seconds, isAsked, say }: Asking): Promise<Row[]> {
  const rows: Row[] = [];
  const load = (requests: Request[], time: number) => ask({ url, requests, seconds: time, connections: 1 });
  for (const { name, paths } of kindsOf(samples).filter(isAsked)) {
    const looked = await Promise.all(paths.slice(0, SAMPLES).map((path) => look(url, path)));
    const pages = looked.filter((page) => page !== null);
    if (pages.length === 0) {
      say(`Not measured: ${name}, of which the generated index has none`);
      continue;
    }
    const asked = pages.map(({ path }) => asBrowser(path));
    const places = Array.from({ length: Math.max(...pages.map(({ operations }) => operations.length)) });
    await load(asked, 2);
    const rounds: { page: number; operations: number; failed: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await load(asked, seconds);
      let operations = 0;
      for (const i of places.keys()) {
        const requests = pages.flatMap((one) => one.operations.slice(i, i + 1).map((path) => ({ path })));
        operations += (await load(requests, seconds)).p50;
      }
      rounds.push({ page: page.p50, operations, failed: page.failed });
    }
    const value = median(rounds.map(({ page }) => page));
    const ratio = median(rounds.map(({ page, operations }) => page / operations));
    const target = { of: "ratio", atMost: MAX_RATIO } as const;
    rows.push(judge({ bench: "pages", name, value, unit: "ms p50", ratio, target }));
    const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
    if (failed > 0) {
      const fault = { name: `${name}, failed answers`, value: failed, unit: "answers" };
      rows.push(judge({ bench: "pages", ...fault, target: { of: "value", atMost: 0 } }));
    }
    say(`${name}: ${value.toFixed(2)} ms p50, ${ratio.toFixed(2)} times its operations`);
  }
  return rows;
}
