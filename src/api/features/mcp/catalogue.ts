/** The parts of a tool that are written by hand; everything else comes from the declarations of its operations. */
export type ToolPlan = {
  title: string;
  /** When to use this tool, and when another. */
  use: string;
  /** The usual one of several views, if another is declared first. */
  usual?: string;
  /** Its `address` may be a name: the name's address on Ethereum is asked for first, for the price of `get_records`. */
  takesNames?: true;
  /** Its answers have the time of the server. */
  tellsNow?: true;
};

/** The tools, in the order in which clients list them. Operations name their tool and view in their declarations. */
export const catalogue: Record<string, ToolPlan> = {
  whois: {
    title: "Look up one ENS name",
    use: "Use it first for any question about one name: who owns it (`owner`, if `is_owner_current`), when it expires, whether it can be registered, its resolver. For more names use `whois_bulk`; for texts and addresses `get_records`.",
  },
  whois_bulk: {
    title: "Look up many ENS names",
    use: "Use it for two names or more, or for namehashes: one call for all.",
  },
  lookup: {
    title: "Names, hashes and addresses in one list",
    use: "Use it for a mixed list of names, namehashes and addresses, or for addresses with their primary names and names. For names alone use `whois_bulk`.",
  },
  search_domains: {
    title: "Search ENS names",
    use: "Use it to find names by a part of their label, by state, length, expiry, owner in one contract, or resolver. View `drops`: what leaves its grace period within 7 days. For all names of one address use `get_address_portfolio`, for one name that you know `whois`.",
  },
  get_price: {
    title: "Prices of names",
    use: "Use it for what it costs to register or renew a name, for one or more years: premium and total, in wei, dollars or payment tokens. It also says why a name cannot be registered or renewed. For its owner and records use `whois`.",
  },
  get_records: {
    title: "Read the records of a name",
    use: "Use it for a name's records: texts (avatar, url, com.twitter and so on), addresses by coin type, contenthash.",
  },
  get_domain_history: {
    title: "History of a name",
    use: "Use it for the past of one name: its events, owners, payments, resolvers and texts. For its present use `whois`.",
    usual: "events",
  },
  get_subnames: {
    title: "Subnames of a name",
    use: "Use it for the names directly below one name. To filter them, use `search_domains` with `parent`.",
  },
  lookup_hash: {
    title: "Name behind a hash",
    use: "Use it for a hash or token id in hexadecimal, of a name or a label.",
  },
  get_address_portfolio: {
    title: "Names of an address",
    takesNames: true,
    use: "Use it for what one address owns or owned; `address` may be a name, which costs a credit more. `expires_within_days` finds what must be renewed, names in grace included. Begin with `summary` if numbers are enough. For its primary name use `get_primary_names`.",
    usual: "domains",
  },
  get_events: {
    title: "Contract events",
    use: "Use it for what happened in all of ENS, or at one contract: the newest events, by kind, chain and time. For one name use `get_domain_history`, for one address `get_address_portfolio`.",
  },
  get_changes: {
    title: "What changed since a position",
    use: "Use it to continue where you stopped: what changed for a name, an address or all of ENS, in order, expiries included. Give `next_position` as `after` the next time. For the past of one name use `get_domain_history`.",
  },
  get_permissions: {
    title: "Permissions",
    use: "Use it before a purchase or a warning: which accounts can change one name now, and what one address may change of others. For names that an address owns use `get_address_portfolio`.",
  },
  get_agents: {
    title: "Agents and their names",
    use: "Use it for agents of ERC-8004 that names claim, or that are bound to names. Claims prove less than bindings.",
    usual: "list",
  },
  get_primary_names: {
    title: "Primary names of addresses",
    use: "Use it to show people a name instead of an address. A primary name is given only if it resolves back to the address; a claim in the history need not.",
    usual: "current",
  },
  get_statistics: {
    title: "ENS in figures",
    use: "Use it for figures of all of ENS: names, states, lengths, top-level domains, largest holders, adoption of primary names, latest activity. For sales over time, what was paid, and expiries to come use `get_sales`.",
  },
  get_sales: {
    title: "Sales and expiries of ENS names",
    use: "Use it for registrations and renewals by day, week, month, quarter or year, what was paid in ether and dollars, which contract sold them, through which referrer, and expiries to come. For other figures use `get_statistics`.",
  },
  get_status: {
    tellsNow: true,
    title: "Whether the index is current",
    use: "Use it where an answer looks old or is INDEX_NOT_READY: blocks, lag and progress of each chain, and the time `now`.",
  },
};
