/** A screen or job of ENS's own apps, and the requests to Namedex that serve it. */
export type Screen = {
  job: string;
  /** Requests that ENS's own index needs for it. P(n) is its number of pages for n names, B(n) its number of batches. */
  theirs: string;
  /**
   * What to request: method and path. A value in braces is the caller's; any other is literal. A parameter with a value in braces
   * is optional; `{cursor}` is the previous page's.
   */
  requests: readonly string[];
};

/** Pages of ENS's own index: 200 names. */
export const pages = (names: number): number => Math.max(1, Math.ceil(names / 200));

/** Batches of ENS's own index: 1,000 names. */
export const batches = (names: number): number => Math.ceil(names / 1_000);

/** Parameters that request the next page of a list. */
const NEXT = "cursor={cursor}&total={total}";

const ofAddress = (filters: string) => `GET /address/{address}/domains?${filters}&${NEXT}`;

/** Names of ENSv2 whose last holder can renew. */
const IN_GRACE = ofAddress(
  "address_type=effective_owner&availability_status=grace&protocol=ensv2&parent=eth&sort_by=expiry_timestamp&page_size=200",
);

export const screens = {
  M1: {
    job: "Manager: names of up to three addresses, with any relation",
    theirs: "P(n) each",
    requests: [
      ofAddress(
        "address_type=any&sort_by={order}&page_size=200&include={include}&q={part}&protocol={protocol}",
      ),
    ],
  },
  M2: {
    job: "Manager: ENSv2 names in grace that can be renewed",
    theirs: "P(n)",
    requests: [IN_GRACE],
  },
  M3: {
    job: "Manager: all names that can be renewed at once",
    theirs: "P(n)",
    requests: [ofAddress("address_type=effective_owner&protocol=ensv2&parent=eth&q={part}&page_size=200")],
  },
  M4: {
    job: "Manager: names that can migrate, with their parents' fuses",
    theirs: "P(n) + B(n + parents)",
    requests: [ofAddress("address_type=any&protocol=ensv1&chain={chain}&page_size=200"), "POST /lookup"],
  },
  M5: {
    job: "Manager: copying profiles: all keys (set, cleared, unknown) and values",
    theirs: "B(n)",
    requests: ["POST /lookup"],
  },
  M6: {
    job: "Manager: number of an address's names migrated from ENSv1",
    theirs: "1",
    requests: ["GET /address/{address}/domain-count?address_type=effective_owner&migrated=true"],
  },
  M7: {
    job: "Manager: number of .eth names an address owns",
    theirs: "1",
    requests: ["GET /address/{address}/domain-count?address_type=effective_owner&parent=eth"],
  },
  M8: {
    job: "Manager, home page: whether the account has names",
    theirs: "1",
    requests: ["GET /address/{address}/domains?address_type=effective_owner,manager&page_size=50"],
  },
  M9: {
    job: "Search box: whether the name is held, expired or unknown",
    theirs: "1",
    requests: ["GET /whois/{name}"],
  },
  M10: {
    job: "Profile of a name or subname: state, dates, owner or last holder",
    theirs: "1",
    requests: ["GET /whois/{name}"],
  },
  M11: {
    job: "Records of a name: all keys, and their values",
    theirs: "1",
    requests: ["GET /domain/{name}/records?types={types}&cleared=true"],
  },
  M12: {
    job: "Profile of an address: its names, owned and managed, with both totals",
    theirs: "1 + 2",
    requests: [
      "GET /address/{address}/domains?address_type=any&page_size=50&include={include}",
      "GET /address/{address}/domain-count?address_type=effective_owner",
      "GET /address/{address}/domain-count?address_type=effective_owner,manager",
    ],
  },
  M13: {
    job: "Primary name picker: owned ENSv2 names",
    theirs: "1",
    requests: [
      "GET /address/{address}/domains?address_type=effective_owner&protocol=ensv2&sort_by=full_name&page_size=100&include=primary",
    ],
  },
  P1: {
    job: "Portal: names of an address by expiry, with roles and counts; names that resolve to it; names in grace",
    theirs: "P(n) + P(n) + P(n)",
    requests: [
      ofAddress("address_type=any&sort_by=expiry_timestamp&page_size=200&include={include}"),
      `GET /address/{address}/resolves-to?coin_type=60&page_size=200&${NEXT}`,
      IN_GRACE,
    ],
  },
  P2: {
    job: "Portal: summary of a name before its renewal",
    theirs: "3",
    requests: ["GET /whois/{name}", "GET /domain/{name}/registration-history"],
  },
  P3: {
    job: "Portal: keys of a name's records, and why it does not resolve",
    theirs: "1",
    requests: ["POST /lookup"],
  },
  P4: {
    job: "Portal: subnames with an owner, by name",
    theirs: "P(n)",
    requests: [
      `GET /domain/{name}/subdomains?include_expired=false&include_ownerless=false&sort_by=full_name&page_size=200&${NEXT}`,
    ],
  },
  P5: {
    job: "Portal: timeline of a name, and its first events",
    theirs: "1 a page + 1",
    requests: [
      `GET /domain/{name}/events?sort_dir=desc&page_size=100&type={types}&${NEXT}`,
      "GET /domain/{name}/events?sort_dir=asc&page_size=20&page=1",
    ],
  },
  P6: {
    job: "Portal: history of one record at all of the name's resolvers",
    theirs: "P(n)",
    requests: [
      `GET /domain/{name}/events?record={record}&record_key={key}&coin_type={coin}&sort_dir=desc&page_size=200&${NEXT}`,
    ],
  },
  P7: {
    job: "Portal: history of an address, with a preview, and the names it owns",
    theirs: "1, P(n) + P(owned)",
    requests: [
      "GET /address/{address}/events?page_size=5",
      `GET /address/{address}/events?page_size=200&${NEXT}`,
      ofAddress("address_type=effective_owner&page_size=200"),
    ],
  },
  P8: {
    job: "Portal, home page, every 30 seconds: latest events",
    theirs: "1",
    requests: ["GET /events?page_size=15&type={types}"],
  },
  P9: {
    job: "Portal: names that resolve to an address for any EVM coin type, with all their coin types",
    theirs: "P(n) + B(n)",
    requests: [`GET /address/{address}/resolves-to?coin_type=evm&page_size=200&${NEXT}`, "POST /lookup"],
  },
  P10: {
    job: "Portal: a resolver: names, links by record, roles, events",
    theirs: "2 + P(links) + P(roles)",
    requests: [
      "GET /resolver/{address}?page_size=200",
      `GET /contract/{address}/events?page_size=200&${NEXT}`,
    ],
  },
  P11: {
    job: "Portal: current and former names of a resolver",
    theirs: "P(n)",
    requests: [
      `GET /resolver/{address}/names?page_size=200&${NEXT}`,
      `GET /resolver/{address}/former-names?page_size=200&${NEXT}`,
    ],
  },
  P12: {
    job: "Portal: a registry: name, parent, creation, counts",
    theirs: "1",
    requests: ["GET /registry/{address}"],
  },
  P13: {
    job: "Portal: labels of a registry, sorted by label",
    theirs: "1 a page",
    requests: [`GET /registry/{address}/labels?page_size=100&${NEXT}`],
  },
  P14: {
    job: "Portal: whether a registry can be detached: its labels, and the number owned by others",
    theirs: "1; 2 above 200 labels",
    requests: ["GET /registry/{address}?owner={owner}"],
  },
  P15: {
    job: "Portal: whether a subregistry was ever set",
    theirs: "1",
    requests: ["GET /domain/{name}/events?type=subregistry&page_size=1"],
  },
  P16: {
    job: "Portal: history of a registry",
    theirs: "1 a page",
    requests: [`GET /contract/{address}/events?page_size=100&${NEXT}`],
  },
  P17: {
    job: "Portal: roles on a name: holders and changes",
    theirs: "1 + P(n)",
    requests: [
      `GET /domain/{name}/roles?page_size=200&${NEXT}`,
      `GET /domain/{name}/role-changes?sort_dir=asc&page_size=200&${NEXT}`,
    ],
  },
  P18: {
    job: "Portal: roles on a whole registry, and role changes of one account",
    theirs: "1 each",
    requests: [
      `GET /registry/{address}/roles?page_size=200&${NEXT}`,
      `GET /registry/{address}/role-changes?account={account}&sort_dir=asc&page_size=200&${NEXT}`,
    ],
  },
  P19: {
    job: "Portal: whether a name can migrate: the name and its parent",
    theirs: "1",
    requests: ["POST /whois/bulk"],
  },
  P20: {
    job: "Portal, after a write, every two seconds: whether the block is indexed",
    theirs: "1 a poll",
    requests: ["GET /indexing-status"],
  },
  W1: {
    job: "Faucet: whether the account has a registered ENSv1 name",
    theirs: "1",
    requests: [
      "GET /address/{address}/domains?address_type=any&protocol=ensv1&availability_status=registered&page_size=1",
    ],
  },
  W2: {
    job: "Reminders, every hour: .eth names expiring in one of up to 32 windows",
    theirs: "1 + P(n)",
    requests: [
      `GET /search-domains?parent=eth&expiry_windows={windows}&expiry_of=lease&sort_by=expiry_timestamp&page_size=200&${NEXT}`,
    ],
  },
} as const satisfies Record<string, Screen>;

export type ScreenId = keyof typeof screens;

export const screenIds = Object.keys(screens) as ScreenId[];

/** Whether a request is one of a screen's. */
export function matches(template: string, { method, path }: { method: string; path: string }): boolean {
  const [wantedMethod, wanted = ""] = template.split(" ");
  const [wantedPath = "", wantedQuery = ""] = wanted.split("?");
  const [askedPath = "", askedQuery = ""] = path.split("?");
  if (method !== wantedMethod || !patternOf(wantedPath).test(askedPath)) return false;
  const parameters = new URLSearchParams(wantedQuery);
  const asked = new URLSearchParams(askedQuery);
  const isFree = (value: string | null) => value !== null && /^\{.+\}$/.test(value);
  return (
    [...asked].every(([key, value]) => isFree(parameters.get(key)) || parameters.get(key) === value) &&
    [...parameters].every(([key, value]) => isFree(value) || asked.get(key) === value)
  );
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}$`);
