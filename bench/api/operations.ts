import type { Request } from "autocannon";
import type { Target } from "../report.ts";
import type { Samples } from "./samples.ts";
import { LARGE_REGISTRY, LARGE_RESOLVER } from "./worldContracts.ts";

/** Something to measure against a reference that is asked in turn with it. */
export type Operation = {
  name: string;
  requests: Request[];
  against: "floor" | "count" | "whois";
  /** Which figure is compared. */
  figure: "perSecond" | "p50" | "p99";
  target?: Target;
  /** The operation's path in the API's own document. */
  path: string;
  /** True where only a deployment with ENSv2 has rows. */
  ofEnsv2?: true;
  /** True if the time may grow with the index, because larger ones have more such answers. */
  grows?: true;
};

export const atMost = (times: number): Target => ({ of: "ratio", atMost: times });
const get = (paths: string[]): Request[] => paths.map((path) => ({ path }));
/** A request with a body of JSON. */
export const post = (path: string, body: unknown): Request => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const SINGLE = 3;
const ONE_FILTER = 15;
const ALL_FILTERS = 30;
const FIRST_PAGE = 5;
const HEAVIEST = 8;
const BULK = 25;
const CACHED = 1.2;
const FRESH = 3;

/** The API's own document: each of its operations is measured. */
export type Document = {
  paths: Record<
    string,
    Record<string, { tags?: string[]; parameters?: { name: string; in: string }[]; responses: object }>
  >;
};

/** All measurements with their requests: each operation of the document, some in several ways. */
export function operationsOf(document: Document, samples: Samples, now: number): Operation[] {
  const own = [...searches(samples, now), ...events(samples), ...bulks(samples)];
  const known = new Set(own.map(({ path }) => path));
  const rest = Object.entries(document.paths).filter(([path]) => !known.has(path) && !isUnmeasured(path));
  return [...rest.flatMap(([path, methods]) => plain(path, methods, samples)), ...own];
}

/** An operation without any filter. */
function plain(path: string, methods: Document["paths"][string], samples: Samples): Operation[] {
  if (methods.get === undefined) {
    throw new Error(`The benchmark has to be told what to send to POST ${path}: bench/api/operations.ts`);
  }
  if (methods.get.tags?.includes("Statistics")) return statistic(path);
  if (methods.get.tags?.includes("Contracts")) return ofContract(path, samples);
  return single(path, samples);
}

/** Values for path parameters. Operations that answer for some names only are asked about those. */
const parametersOf = ({ names, addresses, parents, agents }: Samples): Record<string, string[]> => ({
  "/domain/{name}/subdomains name": parents,
  "/lookup-labelhash/{hash} hash": names.map(({ labelhash }) => labelhash),
  name: names.map(({ name }) => encodeURIComponent(name)),
  hash: names.map(({ node }) => node),
  address: addresses,
  agentId: agents,
  key: ["url"],
});

/** The paths that the samples make of a path with parameters. */
function pathsOf(path: string, samples: Record<string, string[]>): string[] {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const values = parameters.map((name) => {
    const found = samples[`${path} ${name}`] ?? samples[name];
    if (found === undefined) {
      throw new Error(`The benchmark has no samples of {${name}} of ${path}: bench/api/operations.ts`);
    }
    return { name, found };
  });
  const count = Math.max(1, ...values.map(({ found }) => found.length));
  return Array.from({ length: count }, (_, i) =>
    values.reduce((text, { name, found }) => text.replace(`{${name}}`, found[i % found.length] ?? ""), path),
  );
}

function single(path: string, samples: Samples): Operation[] {
  const isList = path.endsWith("/permissions");
  const measured = (paths: string[], name: string): Operation => ({
    name,
    path,
    requests: get(paths),
    against: "floor",
    figure: "p99",
    target: atMost(isList ? FIRST_PAGE : SINGLE),
  });
  const usual = measured(pathsOf(path, parametersOf(samples)), path);
  if (path === "/whois/{name}") {
    const target = { of: "ratio", atLeast: 0.6 } as const;
    return [{ ...usual, name: `${path}, requests`, figure: "perSecond", target }, usual];
  }
  if (!path.startsWith("/address/{address}/")) return [usual];
  const ofLargest = pathsOf(path, { address: [samples.largestOwner] });
  const times = timesOfLargest(path, isList);
  const largest: Operation = {
    ...measured(ofLargest, `${path}, largest owner`),
    target: atMost(times),
    grows: true,
  };
  if (path === "/address/{address}/domains") return [usual, largest, ...namesOfLargest(samples)];
  if (!path.endsWith("/resolves-to")) return [usual, largest];
  const uncounted = get([`/address/${samples.largestOwner}/resolves-to?total=false`]);
  return [
    usual,
    { ...largest, requests: uncounted },
    { ...largest, name: `${largest.name}, with total`, target: atMost(ALL_FILTERS) },
  ];
}

/** How many times the floor an operation may take for the largest owner. */
function timesOfLargest(path: string, isList: boolean): number {
  if (path.endsWith("/expiries.ics")) return ONE_FILTER;
  if (path.endsWith("/resolves-to")) return HEAVIEST;
  return isList ? FIRST_PAGE : SINGLE;
}

/** The names of the largest owner by any relation, in each order from both ends, and by filters that few or none of them meet. */
function namesOfLargest({ largestOwner, parts }: Samples): Operation[] {
  const path = "/address/{address}/domains";
  const list = (name: string, query: string, times: number): Operation => ({
    name: `${path}, ${name}`,
    path,
    against: "floor",
    figure: "p99",
    target: atMost(times),
    grows: true,
    requests: get([`/address/${largestOwner}/domains?${query}`]),
  });
  const orders = ["full_name", "expiry_timestamp", "registered_timestamp", "created_timestamp"];
  return [
    ...orders.flatMap((order) =>
      ["asc", "desc"].map((direction) =>
        list(
          `any relation by ${order}, ${direction}`,
          `address_type=any&sort_by=${order}&sort_dir=${direction}&total=false`,
          FIRST_PAGE,
        ),
      ),
    ),
    list("any relation, with total", "address_type=any", ONE_FILTER),
    list("former owner", "address_type=former_owner&include_expired=true", ONE_FILTER),
    list("a text", `address_type=any&q=${parts[0]}`, ONE_FILTER),
    list("a text that no name has", "address_type=any&q=zzzzzzzz", ONE_FILTER),
  ];
}

/** What asks a node for each answer, and what writes for a key: the benchmark's server has neither node nor keys. */
export const isUnmeasured = (path: string): boolean =>
  /^\/domain\/\{name\}\/(verify|price)$|^\/price\/bulk$|^\/webhooks\b/.test(path);

/** Operations on a contract: of the largest, of one that many names have, and far into the list. */
function ofContract(path: string, { resolvers }: Samples): Operation[] {
  const isRegistry = path.startsWith("/registry/");
  const isOfEnsv2 = isRegistry || !path.endsWith("{address}/names");
  const large = path.replace("{address}", isRegistry ? LARGE_REGISTRY : LARGE_RESOLVER);
  const measured = (name: string, requests: string[], times: number): Operation => ({
    name: `${path}, ${name}`,
    path,
    requests: get(requests),
    against: "floor",
    figure: "p99",
    target: atMost(times),
    grows: true,
    ...(isOfEnsv2 && { ofEnsv2: true }),
  });
  const common = isRegistry
    ? []
    : [measured("common resolver", [path.replace("{address}", resolvers.common)], FIRST_PAGE)];
  return [
    ...common,
    // With all that is counted of it.
    measured("largest", [large], ALL_FILTERS),
    ...(path.endsWith("{address}")
      ? []
      : [measured("largest, uncounted", [`${large}?total=false`], FIRST_PAGE)]),
  ];
}

function searches({ parts, resolvers, addresses, largestOwner }: Samples, now: number): Operation[] {
  const search = (name: string, queries: string[], times: number, grows = false): Operation => ({
    name: `/search-domains, ${name}`,
    path: "/search-domains",
    against: "floor",
    figure: "p99",
    requests: get(queries.map((query) => `/search-domains?${query}`)),
    target: atMost(times),
    ...(grows && { grows: true as const }),
  });
  const year = 31_536_000;
  const all = parts.map(
    (part, i) =>
      `q=${part}&availability_status=registered&min_length=3&max_length=20&is_wrapped=true&expiry_from=${now}&registrar_owner=0xd4416b13d2b3a9abae7acd5d6c2bbdbe25686401&resolver=${resolvers.common}&wrapper_owner=${addresses[i]}`,
  );
  return [
    search("no filter", [""], FIRST_PAGE),
    search("unknown labels last", ["unknown_labels=last", "unknown_labels=last&sort_dir=desc"], FIRST_PAGE),
    search("page 400", ["page=400"], ONE_FILTER, true),
    search(
      "text",
      parts.map((part) => `q=${part}`),
      ONE_FILTER,
      true,
    ),
    search(
      "text in the full name",
      parts.map((part) => `q=${part}&search_full_name=true`),
      ONE_FILTER,
      true,
    ),
    ...["registered", "grace", "premium", "available"].map((status) =>
      search(status, [`availability_status=${status}`], ONE_FILTER, true),
    ),
    search("min_length", ["min_length=5", "min_length=9", "min_length=20"], ONE_FILTER, true),
    search("max_length", ["max_length=3", "max_length=4", "max_length=8"], ONE_FILTER, true),
    search("wrapped", ["is_wrapped=true"], ONE_FILTER, true),
    search("not wrapped", ["is_wrapped=false"], ONE_FILTER, true),
    search(
      "registrar owner",
      addresses.map((one) => `registrar_owner=${one}`),
      ONE_FILTER,
    ),
    search(
      "registry owner",
      addresses.map((one) => `registry_owner=${one}`),
      ONE_FILTER,
    ),
    search(
      "wrapper owner",
      addresses.map((one) => `wrapper_owner=${one}`),
      ONE_FILTER,
    ),
    search("largest owner", [`registrar_owner=${largestOwner}`], ONE_FILTER, true),
    search("rare resolver", [`resolver=${resolvers.rare}`], ONE_FILTER, true),
    search("common resolver", [`resolver=${resolvers.common}`], ONE_FILTER, true),
    search("expiry_from", [`expiry_from=${now}`, `expiry_from=${now + year}`], ONE_FILTER, true),
    search("expiry in one week", [`expiry_from=${now}&expiry_to=${now + 604_800}`], ONE_FILTER, true),
    search("all filters", all, ALL_FILTERS, true),
  ];
}

/** Some of the samples, the hot ones among them once only. */
const ofMany = <T>(all: T[], i: number, count: number): T[] =>
  Array.from({ length: count }, (_, k) => all[(i * 37 + k * 2) % all.length] as T);

const allTypes = ["text", "addr", "contenthash", "abi", "interface", "pubkey", "name"];
/** Events of the heaviest address and contract, and of all, with filters that few of them meet. */
function events({ addresses, largestOwner, resolvers }: Samples): Operation[] {
  const list = (path: string, name: string, paths: string[], times: number): Operation => ({
    name: `${path}, ${name}`,
    path,
    requests: get(paths),
    against: "floor",
    figure: "p99",
    target: atMost(times),
    grows: true,
  });
  const [ofAddress, ofContract] = ["/address/{address}/events", "/contract/{address}/events"];
  const largest = `/address/${largestOwner}/events?total=false`;
  const common = `/contract/${resolvers.common}/events?total=false`;
  const usual = addresses.map((one) => `/address/${one}/events`);
  return [
    list(ofAddress, "usual", usual, FIRST_PAGE),
    list(ofAddress, "largest owner", [largest], HEAVIEST),
    list(ofAddress, "largest owner, party", [`${largest}&relation=party`], HEAVIEST),
    list(ofAddress, "largest owner, none of a kind", [`${largest}&type=subregistry`], HEAVIEST),
    list(ofAddress, "largest owner, with total", [`/address/${largestOwner}/events`], ALL_FILTERS),
    list(ofContract, "common resolver", [common], HEAVIEST),
    list(ofContract, "common resolver, oldest first", [`${common}&sort_dir=asc`], HEAVIEST),
    list(ofContract, "common resolver, none of a kind", [`${common}&type=subregistry`], HEAVIEST),
    list(ofContract, "common resolver, with total", [`/contract/${resolvers.common}/events`], ALL_FILTERS),
    list("/events", "newest", ["/events?total=false&page_size=15"], FIRST_PAGE),
    list("/events", "of some kinds", ["/events?total=false&type=renewal,transfer&chain=mainnet"], HEAVIEST),
  ];
}

function bulks({ names, addresses }: Samples): Operation[] {
  const of500 = <T>(all: T[], i: number) => ofMany(all, i, 500);
  const five = [0, 1, 2, 3, 4];
  const bulk = (path: string, requests: Request[], name = path): Operation => ({
    name,
    path,
    requests,
    against: "whois",
    figure: "p50",
    target: atMost(BULK),
  });
  return [
    bulk(
      "/whois/bulk",
      five.map((i) => post("/whois/bulk", { names: of500(names, i).map(({ name }) => name) })),
      "/whois/bulk of 500",
    ),
    bulk(
      "/address/primary-names/bulk",
      five.map((i) => post("/address/primary-names/bulk", { addresses: of500(addresses, i).slice(0, 200) })),
      "/address/primary-names/bulk of 200",
    ),
    ...[1, 100, 1_000].map((count) =>
      bulk(
        "/lookup",
        five.map((i) => post("/lookup", { inputs: ofMany(names, i, count).map(({ name }) => name) })),
        `/lookup of ${count.toLocaleString("en")} names`,
      ),
    ),
    bulk(
      "/lookup",
      five.map((i) =>
        post("/lookup", {
          inputs: ofMany(names, i, 1_000).map(({ name }) => name),
          records: { types: allTypes },
        }),
      ),
      "/lookup of 1,000 names with all records",
    ),
    bulk(
      "/lookup",
      five.map((i) => post("/lookup", { inputs: ofMany(addresses, i, 100), relations: ["effective_owner"] })),
      "/lookup of 100 addresses with their names",
    ),
  ];
}

const statistic = (path: string): Operation[] => [
  {
    name: `${path}, cached`,
    path,
    requests: get([path]),
    against: "floor",
    figure: "p50",
    target: atMost(CACHED),
  },
  {
    name: `${path}, fresh`,
    path,
    requests: get([`/bench/fresh${path}`]),
    against: "count",
    figure: "p50",
    target: atMost(FRESH),
    grows: true,
  },
];
