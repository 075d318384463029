import type { Request } from "autocannon";
import type { Target } from "../report.ts";
import type { Samples } from "./samples.ts";

/** Something to measure against a reference that is asked in turn with it. */
export type Operation = {
  name: string;
  requests: Request[];
  against: "floor" | "count" | "whois";
  /** Which figure is compared. */
  figure: "perSecond" | "p50" | "p99";
  target?: Target;
  /** The operation's path in the API's own document, by which the benchmark sees whether it knows all. */
  path?: string;
  /** True where the time may grow with the index: answers of which there are more in a larger one. */
  grows?: true;
};

const atMost = (times: number): Target => ({ of: "ratio", atMost: times });
const get = (paths: string[]): Request[] => paths.map((path) => ({ path }));
const post = (path: string, body: unknown): Request => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const SINGLE = 3;
const ONE_FILTER = 15;
const ALL_FILTERS = 30;
const FIRST_PAGE = 5;
const BULK = 25;
const CACHED = 1.2;
const FRESH = 3;

/** All that is measured, and what is asked of it. */
export const operationsOf = (samples: Samples, now: number): Operation[] => [
  ...singles(samples),
  ...searches(samples, now),
  ...bulks(samples),
  ...statistics(),
];

function singles({ names, addresses, largestOwner, parents, agents }: Samples): Operation[] {
  const ofName = (path: string) => names.map(({ name }) => path.replace("{name}", encodeURIComponent(name)));
  const ofAddress = (path: string, asked = addresses) => asked.map((one) => path.replace("{address}", one));
  const one = (path: string, paths: string[], name = path): Operation => ({
    ...{ name, path, requests: get(paths), against: "floor", figure: "p99", target: atMost(SINGLE) },
  });
  const whois = ofName("/whois/{name}");
  return [
    {
      ...one("/whois/{name}", whois, "/whois/{name}, requests"),
      ...{ figure: "perSecond", target: { of: "ratio", atLeast: 0.6 } },
    },
    one("/whois/{name}", whois),
    ...["/lookup-hash/{hash}", "/lookup-namehash/{hash}"].map((path) =>
      one(
        path,
        names.map(({ node }) => path.replace("{hash}", node)),
      ),
    ),
    one(
      "/lookup-labelhash/{hash}",
      names.map(({ labelhash }) => `/lookup-labelhash/${labelhash}`),
    ),
    ...["records", "events", "registration-history", "ownership-history", "resolver-history", "agent"].map(
      (word) => one(`/domain/{name}/${word}`, ofName(`/domain/{name}/${word}`)),
    ),
    ...["", "/history"].map((end) =>
      one(`/domain/{name}/records/text/{key}${end}`, ofName(`/domain/{name}/records/text/url${end}`)),
    ),
    one(
      "/domain/{name}/subdomains",
      parents.map((name) => `/domain/${name}/subdomains`),
    ),
    ...["domains", "domain-count", "primary-name", "summary", "previous-domains"].flatMap((word) => {
      const path = `/address/{address}/${word}`;
      return [
        one(path, ofAddress(path)),
        { ...one(path, ofAddress(path, [largestOwner]), `${path}, largest owner`), grows: true as const },
      ];
    }),
    one("/domain/{name}/expiry.ics", ofName("/domain/{name}/expiry.ics")),
    one("/address/{address}/expiries.ics", ofAddress("/address/{address}/expiries.ics")),
    {
      ...one(
        "/address/{address}/expiries.ics",
        ofAddress("/address/{address}/expiries.ics", [largestOwner]),
        "/address/{address}/expiries.ics, largest owner",
      ),
      ...{ target: atMost(ONE_FILTER), grows: true as const },
    },
    one(
      "/agents/{agentId}",
      agents.map((id) => `/agents/${id}`),
    ),
    one("/agents", ["/agents"]),
    ...["/stats", "/pending-stats", "/indexing-status"].map((path) => one(path, [path])),
  ];
}

/** One question that comes again and again, while answers are kept. */
export const hotOperations = ({ names }: Samples): Operation[] => [
  {
    ...{ name: "/whois/{name}, one hot name, requests", path: "/whois/{name}", against: "floor" },
    requests: get([`/whois/${encodeURIComponent(names[0]?.name ?? "")}`]),
    ...{ figure: "perSecond", target: { of: "ratio", atLeast: 2 } },
  },
];

function searches({ parts, resolvers, addresses, largestOwner }: Samples, now: number): Operation[] {
  const search = (name: string, queries: string[], times: number, grows = false): Operation => ({
    ...{ name: `/search-domains, ${name}`, path: "/search-domains", against: "floor", figure: "p99" },
    ...{ requests: get(queries.map((query) => `/search-domains?${query}`)), target: atMost(times) },
    ...(grows && { grows: true as const }),
  });
  const year = 31_536_000;
  const all = parts.map(
    (part, i) =>
      `q=${part}&availability_status=registered&min_length=3&max_length=20&is_wrapped=true&expiry_from=${now}&registrar_owner=0xd4416b13d2b3a9abae7acd5d6c2bbdbe25686401&resolver=${resolvers.common}&wrapper_owner=${addresses[i]}`,
  );
  return [
    search("no filter", [""], FIRST_PAGE),
    search("page 400", ["page=400"], ONE_FILTER, true),
    search(
      "text",
      parts.map((part) => `q=${part}`),
      ONE_FILTER,
      true,
    ),
    search(
      "text of full name",
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

function bulks({ names, addresses }: Samples): Operation[] {
  const of500 = <T>(all: T[], i: number) =>
    Array.from({ length: 500 }, (_, k) => all[(i * 37 + k * 2) % all.length] as T);
  const five = [0, 1, 2, 3, 4];
  const bulk = (path: string, requests: Request[], name = path): Operation => ({
    ...{ name, path, requests, against: "whois", figure: "p50", target: atMost(BULK) },
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
  ];
}

function statistics(): Operation[] {
  const words = [
    ...["registrations", "distribution", "primary-names", "recent-activity"],
    ...["purchases", "sellers", "states", "expiries", "holders"],
  ];
  return ["", ...words.map((word) => `/${word}`)].flatMap((end) => {
    const path = `/ens-stats${end}`;
    return [
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
    ] satisfies Operation[];
  });
}
