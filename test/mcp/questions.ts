import { namehash } from "viem";
import { toolsOf } from "../../src/api/features/mcp/tools.ts";
import { nameOf } from "../../src/api/server/http/endpoint.ts";
import { exampleOf } from "../support/examples.ts";
import { operations } from "../support/operations.ts";
import { alice, bob, carol } from "./scene.ts";

/** A call, and the equivalent request over HTTP. */
export type Pair = [tool: string, args: Record<string, unknown>, path: string, body?: unknown];

const everyName = [
  ...Array.from({ length: 30 }, (_, i) => `many${i}.eth`),
  "alice.eth",
  "unregistered.eth",
  "a..b",
];

/** Questions that only a node can answer. There is none here; the demo asks them. */
const needsNode: readonly string[] = ["GET /domain/{name}/price"];

/** Every view of every tool, with its operation's examples. */
const viewsWithExamples: Pair[] = toolsOf(operations).flatMap(({ definition, views }) =>
  views.flatMap(({ name: view, operation, fixed, parameters }): Pair[] => {
    if (typeof fixed === "function") return []; // Depends on the time. The demo asks it.
    if (needsNode.includes(nameOf(operation))) return [];
    const { asked: all, path, body: whole } = exampleOf(operation);
    // Tools have no arguments that are objects.
    const taken = (given: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(given).filter(([field]) => Object.hasOwn(parameters.properties, field)),
      );
    const [asked, body] = [taken(all), whole && taken(whole)];
    const query = Object.keys(fixed).length > 0 ? `?${new URLSearchParams(fixed)}` : "";
    return [[definition.name, { ...asked, ...(view !== null && { view }) }, `${path}${query}`, body]];
  }),
);

/**
 * Questions with arguments other than the examples, and without a view if the arguments choose it.
 */
const moreQuestions: Pair[] = [
  ["whois", { name: "alice.eth" }, "/whois/alice.eth"],
  ["whois", { name: "ALICE.eth" }, "/whois/ALICE.eth"],
  ["whois", { name: "unregistered.eth" }, "/whois/unregistered.eth"],
  ["whois", { name: "grace.eth" }, "/whois/grace.eth"],
  ["whois", { name: "premium.eth" }, "/whois/premium.eth"],
  ["whois", { name: "alice.eth", view: null }, "/whois/alice.eth"],
  ["whois_bulk", { names: everyName }, "/whois/bulk", { names: everyName }],
  [
    "whois_bulk",
    { names: ["alice.eth"], namehashes: [namehash("grace.eth"), "0x1"] },
    "/whois/bulk",
    { names: ["alice.eth"], namehashes: [namehash("grace.eth"), "0x1"] },
  ],
  ["search_domains", {}, "/search-domains"],
  ["search_domains", { q: "ali" }, "/search-domains?q=ali"],
  ["search_domains", { q: "many", page: 2 }, "/search-domains?q=many&page=2"],
  ["search_domains", { q: "many", page: "2" }, "/search-domains?q=many&page=2"],
  ["search_domains", { is_wrapped: false, min_length: 6 }, "/search-domains?is_wrapped=false&min_length=6"],
  [
    "search_domains",
    { q: "alice.eth", search_full_name: true, sort_dir: "desc" },
    "/search-domains?q=alice.eth&search_full_name=true&sort_dir=desc",
  ],
  ["search_domains", { registrar_owner: bob, page: 3 }, `/search-domains?registrar_owner=${bob}&page=3`],
  ["get_price", { name: "pay.alice.eth", years: "1,5" }, "/domain/pay.alice.eth/price?years=1,5"],
  ["get_records", { name: "alice.eth" }, "/domain/alice.eth/records"],
  ["get_records", { name: "alice.eth", types: "text,addr" }, "/domain/alice.eth/records?types=text,addr"],
  ["get_records", { name: "alice.eth", key: "url" }, "/domain/alice.eth/records/text/url"],
  [
    "get_records",
    { name: "alice.eth", key: "description", view: "text" },
    "/domain/alice.eth/records/text/description",
  ],
  ["get_domain_history", { name: "alice.eth" }, "/domain/alice.eth/events"],
  [
    "get_domain_history",
    { name: "alice.eth", view: "registrations", merged: false },
    "/domain/alice.eth/registration-history?merged=false",
  ],
  [
    "get_domain_history",
    { name: "alice.eth", audit: true },
    "/domain/alice.eth/ownership-history?audit=true",
  ],
  ["get_domain_history", { name: "alice.eth", key: "url" }, "/domain/alice.eth/records/text/url/history"],
  ["get_address_portfolio", { address: alice }, `/address/${alice}/domains`],
  [
    "get_address_portfolio",
    { address: alice, include_expired: true, sort_by: "expiry_timestamp" },
    `/address/${alice}/domains?include_expired=true&sort_by=expiry_timestamp`,
  ],
  ["get_address_portfolio", { address: bob, view: "domains", page: 2 }, `/address/${bob}/domains?page=2`],
  ["get_address_portfolio", { address: carol, view: "summary" }, `/address/${carol}/summary?partial=true`],
  [
    "get_primary_names",
    { addresses: [alice, bob, "0x1"] },
    "/address/primary-names/bulk",
    { addresses: [alice, bob, "0x1"] },
  ],
  ["get_primary_names", { address: alice }, `/address/${alice}/primary-name?history=true`],
  ["get_statistics", {}, "/ens-stats"],
  ["get_sales", { view: "purchases", interval: "week" }, "/ens-stats/purchases?interval=week"],
];

/** What is asked both ways. */
export const pairs: Pair[] = [...viewsWithExamples, ...moreQuestions];
