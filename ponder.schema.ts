/**
 * The tables of the index. There are three kinds:
 *
 * - **Current state**, updated by key: `domains`, `resolver_nodes`, `text_records`, `address_records`, `primary_names`,
 *   `labels`, `operators`, `token_approvals`, `record_delegates`, `agents`, `agent_bindings`. It mirrors what the contracts
 *   store. Some states change with time alone (grace, premium, an expired wrapped name), without an event: the API computes
 *   these for each request.
 * - **The log**, insert-only: `events` has every log of every tracked contract, once per name it concerns.
 * - **Changes**, insert-only: `ownership_changes`, `resolver_changes`, `primary_name_changes` (and the view `text_changes`).
 *   Each row starts a period that ends with the name's next row, or by time alone.
 *
 * ENSv2 has its own tables, `ensv2_…`, with the state of its registries and resolvers; without ENSv2 they are empty. The
 * names of its entries are rows of `domains`.
 *
 * `blocks` is the journal of the blocks that the tables represent. The engine writes it, not the handlers.
 *
 * The other tables serve the indexer, as their comments say, except `holders`, which address ever appeared on which name,
 * `price_feed_answers`, and the view `controller_sales`: what controllers took, in wei and dollars.
 *
 * Each row comes from logs of one chain, its `chain_id`, and handlers read no other chain's rows.
 *
 * Words are the contracts' own. Addresses and hashes are lower case, times unix seconds, amounts wei; column names say
 * which. Names are never normalised here: a different label is a different node. A label that is unknown, is not UTF-8,
 * has more than 255 bytes, or contains NUL, `.`, `[` or `]` is shown as `[<64 hex of its labelhash>]`. A name of more than
 * 1,024 bytes, a name whose parent is unknown, and every name below such a name is written `[namehash:<64 hex of its node>]`.
 *
 * Primary keys serve the indexer, which finds rows by nothing else; indexes serve readers. Ponder builds the indexes
 * declared here before the index is ready, and again at each restart. Large ones are therefore built by the API, once
 * (`src/api/upkeep/indexes.ts`).
 *
 * PostgreSQL's `text` cannot hold NUL. In names from records and addresses, labels claimed by registries and URIs of
 * agents, U+2400 is an escape: U+2400 and `0` stand for NUL, U+2400 twice for itself (`src/ens/storable.ts`).
 *
 * A b-tree of PostgreSQL takes at most 2,704 bytes, while names, keys and values on chain are unlimited: such columns are
 * indexed by hash, by trigram, or by their first characters.
 */
import {
  and,
  eq,
  inArray,
  index,
  isNotNull,
  onchainEnum,
  onchainTable,
  onchainView,
  or,
  primaryKey,
  sql,
} from "ponder";

/** The layer that decides who owns a name: the wrapper before the registrar before the registry; `token` in ENSv2. */
export const ownershipReason = onchainEnum("ownership_reason", ["registry", "registrar", "wrapper", "token"]);

/**
 * One row per chain and node named by any event, with its current state in the contracts. On a layer 2, only nodes
 * below the name it manages (`base.eth` on Base).
 */
export const domain = onchainTable(
  "domains",
  (t) => ({
    /** Chain of the registry that holds the node. */
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Node of the parent; null for the root and for nodes whose parent is unknown. */
    parentNode: t.hex(),
    /** keccak256 of the leftmost label; null where `parent_node` is null. */
    labelhash: t.hex(),
    /** The leftmost label, or `[labelhash]`; `full_name` where `parent_node` is null. Empty for the root. */
    label: t.text().notNull(),
    /** True if `label` is the text that hashes to `labelhash`. */
    isLabelKnown: t.boolean().notNull(),
    /** Length of the label in code points; null if unknown. */
    labelLength: t.integer(),
    /**
     * The whole name, unknown labels as `[labelhash]`. If it exceeds 1,024 bytes or a parent is unknown, it is
     * `[namehash:<node>]`, and so are names below it. Empty for the root.
     */
    fullName: t.text().notNull(),
    /** True if every label is known, so that `full_name` can no longer change. */
    isNameKnown: t.boolean().notNull(),
    /** Owner in the registry: of 2020 if the node was migrated, otherwise of 2017; null if none. */
    registryOwner: t.hex(),
    /** True once the node has its own record in the registry of 2020, which then overrides the old one. */
    isMigrated: t.boolean().notNull(),
    /** The node's resolver in the registry; null if none. */
    resolver: t.hex(),
    /**
     * Names of a registrar (directly under `eth`, or under the name a layer 2 manages): holder of the registrar's
     * token, kept after expiry; null if burnt or never held.
     */
    registrarOwner: t.hex(),
    /** Names of a registrar: its expiry, wrapped or not; null if never registered. */
    registrarExpiryTimestamp: t.bigint(),
    /** Account approved to transfer the registrar's token; null if none. A transfer clears it. */
    registrarApproved: t.hex(),
    /** Owner of the NameWrapper's token as stored, even if expired; null if none. */
    wrapperOwner: t.hex(),
    /**
     * Account approved in the NameWrapper to extend subnames; null if none. A transfer clears it unless CANNOT_APPROVE
     * (fuse 64) is burnt; a transfer to the same owner clears it without a log.
     */
    wrapperApproved: t.hex(),
    /** Fuses stored in the NameWrapper, kept after unwrapping; null if never wrapped. */
    wrapperFuses: t.int8({ mode: "number" }),
    /** Expiry stored in the NameWrapper, kept after unwrapping; null if never wrapped. */
    wrapperExpiryTimestamp: t.bigint(),
    /**
     * Renewals, since the wrapper's expiry was last known, that may have gone through the NameWrapper without a log;
     * null if none. While above 0, `wrapper_expiry_timestamp` is a lower bound, and after it the owner is unknown.
     */
    unexplainedRenewals: t.integer(),
    /**
     * True if the registry owner is the NameWrapper, the wrapper's token has an owner and, for names of a registrar,
     * the registrar owner is the NameWrapper. After `wrapper_expiry_timestamp`, a name with PARENT_CANNOT_CONTROL (fuse
     * 65536) is no longer wrapped, without an event. False where `registry` is set.
     */
    isWrapped: t.boolean().notNull(),
    /** When the name ends: names of a registrar by the registrar, wrapped subnames by the wrapper, others null. */
    expiryTimestamp: t.bigint(),
    /** Owner in the first layer that has one: wrapper, registrar, registry; null if none. */
    effectiveOwnerAddress: t.hex(),
    /**
     * The ENSv2 registry whose entry answers for the node; null where ENSv1 does. The entry is the row of
     * `ensv2_entries` with this registry and `labelhash`, its last 32 bits zero. It determines `resolver`,
     * `expiry_timestamp` and `effective_owner_address`; the columns of registry, registrar and wrapper remain those of
     * ENSv1. The zero address: such an entry answered before, and its registry is no longer linked; the name then has
     * no owner, resolver or expiry.
     */
    registry: t.hex(),
    /**
     * The earliest expiry of the ENSv2 entries above the name, from the root registry down. After it no registry
     * answers for the name, whatever its own expiry. Null where nothing above ends (an expiry of 2^64 - 1 never does),
     * and where ENSv1 answers.
     */
    pathExpiryTimestamp: t.bigint(),
    /**
     * Last registration: by the chain's registrar, by 3DNS, or in ENSv2 by the registry that answers. A migration to
     * the registrar of 2020 counts too. Null if never registered.
     */
    registeredTimestamp: t.int8({ mode: "number" }),
    createdBlockNumber: t.integer().notNull(),
    createdTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.node] }),
    byNode: index("domains_node").on(t.node),
    byParent: index("domains_parent").on(t.parentNode, sql`left(${t.fullName}, 128)`, t.node),
    byLabelhash: index("domains_labelhash").on(t.labelhash, t.node),
    byName: index("domains_name").on(sql`left(${t.fullName}, 128)`, t.node),
    byLabel: index("domains_label").on(sql`left(${t.label}, 128)`, t.node),
    byExpiry: index("domains_expiry").on(t.expiryTimestamp, t.node),
    byRegistryOwner: index("domains_registry_owner").on(t.registryOwner),
    byRegistrarOwner: index("domains_registrar_owner").on(t.registrarOwner),
    byWrapperOwner: index("domains_wrapper_owner").on(t.wrapperOwner),
    byResolver: index("domains_resolver").on(t.resolver),
    byLength: index("domains_label_length").on(t.labelLength),
    pending: index("domains_pending").on(t.node).where(sql`not is_label_known`),
  }),
);

/** Label texts by hash. Every text hashes to its `labelhash`, whatever its source. */
export const label = onchainTable(
  "labels",
  (t) => ({
    chainId: t.integer().notNull(),
    labelhash: t.hex().notNull(),
    /**
     * The text; null while unknown, and always if it cannot be shown (NUL, `.`, `[`, `]`, not UTF-8, more than 255
     * bytes).
     */
    label: t.text(),
    /**
     * Origin of the text: `event` (a log of the chain), `caller` (a caller of the API), `table:<id>@<version>` (an
     * imported table) or `service:<id>@<version>` (a label service). Events override the others. Null while unknown.
     */
    source: t.text(),
    /**
     * First of the chain's nodes that show this label as `[labelhash]`. Excludes names of the registrar, whose node
     * follows from the label.
     */
    firstNode: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.labelhash] }) }),
);

/** For the indexer: names to rewrite when one of their labels becomes known. */
export const nameLink = onchainTable(
  "name_links",
  (t) => ({
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Next node with the same unknown label. */
    nextSameLabel: t.hex(),
    /** First child of this node, and the next child of its parent; only below names that are not fully known. */
    firstChild: t.hex(),
    nextSibling: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/** What a work list contains: names with one label, children of a name, or entries below a mount. */
export const workKind = onchainEnum("work_kind", ["same_label", "children", "entries"]);

/**
 * For the indexer: progress of work that one log can cause in thousands of rows: rewriting names after a label became
 * known, and adding or removing names of ENSv2 entries after a registry was linked. While `first_owner` is set, some of
 * it waits for later blocks.
 */
export const workQueue = onchainTable("work_queues", (t) => ({
  /** Chain of the logs. */
  chainId: t.integer().primaryKey(),
  /** Last block in which work was done. */
  blockNumber: t.integer().notNull(),
  /** Rows processed in that block, at most 500. */
  done: t.integer().notNull(),
  /** Owner whose turn is next (`work_owners`); null if nothing waits. */
  firstOwner: t.hex(),
  /** Last owner in the queue. */
  lastOwner: t.hex(),
}));

/** For the indexer: owners of waiting work, which take turns. */
export const workOwner = onchainTable(
  "work_owners",
  (t) => ({
    chainId: t.integer().notNull(),
    /**
     * A labelhash (`same_label`), a parent's node (`children`) or a registry (`entries`); the number 1 for all labels
     * that do not come from the chain's logs.
     */
    owner: t.hex().notNull(),
    /** The owner's first list, by `node`; null if none is left. */
    firstNode: t.hex(),
    /** The owner's last list. */
    lastNode: t.hex(),
    /** Whether the owner is in the queue. */
    isQueued: t.boolean().notNull(),
    /** Next owner in the queue. */
    nextOwner: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.owner] }) }),
);

/**
 * For the indexer: lists of rows still to be processed, at most one per owner and node. Requesting a waiting list again
 * restarts it. A finished list stays, without `next_item`.
 */
export const workList = onchainTable(
  "work_lists",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Owner of the list. */
    owner: t.hex().notNull(),
    /** The labelhash, or the parent's node; for `entries`, the name below which they are or were. */
    node: t.hex().notNull(),
    /** What the list contains. */
    kind: workKind().notNull(),
    /** For `entries`: number of labels of that name. */
    depth: t.integer().notNull(),
    /** Row to process next, by its node or storage id; null if nothing waits. */
    nextItem: t.hex(),
    /** Where to restart at the end of the list; null if not needed. */
    restartItem: t.hex(),
    /** Where to stop after that. */
    stopItem: t.hex(),
    /** Whether it is among its owner's lists. */
    isQueued: t.boolean().notNull(),
    /** The owner's next list. */
    nextNode: t.hex(),
    /** Block since which it has been waiting. */
    sinceBlockNumber: t.integer().notNull(),
    /** Time of that block. */
    sinceTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.owner, t.node] }),
    byAge: index("work_lists_since").on(t.sinceTimestamp).where(sql`next_item is not null`),
  }),
);

/**
 * For the indexer: how many labels from outside the chain's logs have been applied. They are in the service's own table
 * `proven_labels`.
 */
export const labelProgress = onchainTable("label_progress", (t) => ({
  /** Chain of the names. */
  chainId: t.integer().primaryKey(),
  /** `proven_labels.position` of the last applied label; 0 if none. */
  position: t.int8({ mode: "number" }).notNull(),
}));

/** What waits for a transaction: the value of a text, the address of a reverse node, or a claim by such a node. */
export const missingKind = onchainEnum("missing_kind", ["text", "reverse_node", "claim"]);

/**
 * For the indexer: what waits for past transactions that were not fetched before the index was ready. It is worked off
 * in the order of the logs. Until then, the values are unknown.
 */
export const missingTransaction = onchainTable(
  "missing_transactions",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Counts from 0. */
    number: t.integer().notNull(),
    /** What waits. */
    kind: missingKind().notNull(),
    node: t.hex().notNull(),
    blockNumber: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    /** Place of the log's transaction in the block. */
    transactionIndex: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    /** Texts: resolver of the row in `text_records`. */
    resolver: t.hex(),
    /** Texts: version of that row. */
    version: t.int8({ mode: "number" }),
    /** Texts: key of that row. */
    keyHash: t.hex(),
    /** Texts: how often the key had been set in the transaction before. */
    earlierSets: t.integer(),
    /** Claims: the name, as in `primary_names`. */
    name: t.text(),
    /** Claims: as in `primary_names`. */
    isNameKnown: t.boolean(),
    /** Claims: whether another log had told the node's address by then. */
    isAddressKnown: t.boolean(),
    /** Claims: whether it counts even if it repeats the last one. */
    isRepeatable: t.boolean(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.number] }) }),
);

/** For the indexer: reverse nodes whose address, and therefore whose claims, wait in `missing_transactions`. */
export const waitingNode = onchainTable(
  "waiting_nodes",
  (t) => ({
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Rows of `missing_transactions` for this node. */
    rows: t.integer().notNull(),
    /** Whether a transaction has told its address. */
    isKnown: t.boolean().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/** For the indexer: how far `missing_transactions` is worked off. No row: nothing ever waited on this chain. */
export const transactionProgress = onchainTable("transaction_progress", (t) => ({
  chainId: t.integer().primaryKey(),
  /** Number of the first waiting row. */
  first: t.integer().notNull(),
  /** Number of the next row. */
  next: t.integer().notNull(),
  /** Waiting texts and reverse nodes. */
  missing: t.integer().notNull(),
}));

/** For the indexer: contracts that may sell names. */
export const controller = onchainTable(
  "controllers",
  (t) => ({
    chainId: t.integer().notNull(),
    controller: t.hex().notNull(),
    /** Whether a registrar of the chain ever added it. */
    isRegistrars: t.boolean().notNull(),
    /** Whether the NameWrapper lets it register and renew names; null if it never did. */
    isWrappers: t.boolean(),
    /**
     * For the NameWrapper: number of unlisted contracts that may renew through it, and whose renewals may therefore
     * leave no log. Null for others, and if there never were any.
     */
    unlisted: t.integer(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.controller] }) }),
);

/**
 * For the indexer: the last payment logged by each Basenames controller, until a purchase in the same transaction uses
 * it.
 */
export const pendingPayment = onchainTable(
  "pending_payments",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Controller that logged it. */
    controller: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    /** Amount paid, without refunds; null once a purchase used it. */
    priceWei: t.bigint(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.controller] }) }),
);

/** For the indexer: claims to short names (2019), by the contract's id. */
export const shortNameClaim = onchainTable(
  "short_name_claims",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Hash of label, DNS name, claimant and e-mail address. */
    claimId: t.hex().notNull(),
    /** Node of the claimed name. */
    node: t.hex().notNull(),
    /** Who gets the name. */
    claimant: t.hex().notNull(),
    /** Payment, refunded unless the name was registered. */
    paidWei: t.bigint().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.claimId] }) }),
);

/** For the indexer: the approved claim to each name, until the name is registered. */
export const approvedClaim = onchainTable(
  "approved_claims",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Node of the name. */
    node: t.hex().notNull(),
    /** The claim in `short_name_claims`. */
    claimId: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/** For the indexer: newest answer in each phase of the price feed used to sell .eth names. */
export const feedPhase = onchainTable(
  "price_feed_phases",
  (t) => ({
    chainId: t.integer().notNull(),
    /**
     * The feed's phase number. Each phase has its own contract, which answers before it takes over and continues
     * afterwards.
     */
    phase: t.integer().notNull(),
    /** USD per ether, with 8 decimals. */
    answer: t.bigint().notNull(),
    blockNumber: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.phase] }) }),
);

/**
 * Answers of the price feed that sets the price of .eth names in ether. Each row is valid until the next one. Between the two
 * blocks around a change of phase, the old phase counts. There are no rows before the first phase that the deployment knows.
 */
export const feedAnswer = onchainTable(
  "price_feed_answers",
  (t) => ({
    chainId: t.integer().notNull(),
    /** From this log on. */
    blockNumber: t.integer().notNull(),
    /** -1: from the beginning of the block on, where a phase took over or became unknown. */
    logIndex: t.integer().notNull(),
    /** Null where a phase took over, because its answer is older. */
    blockTimestamp: t.int8({ mode: "number" }),
    /**
     * USD for one ether, with 8 decimals. Null if it is not above zero, and once a registration refuted the last phase that the
     * deployment knows.
     */
    answer: t.bigint(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex] }),
    byTime: index("price_feed_answers_time").on(t.blockTimestamp, t.blockNumber, t.logIndex),
  }),
);

/**
 * Compares the price feed with registrations. Each registration since 2023 logs its price, which only one answer of the
 * feed explains; a difference means that the feed has a phase unknown to the deployment.
 */
export const feedCheck = onchainTable("price_feed_checks", (t) => ({
  chainId: t.integer().primaryKey(),
  /** Registrations at the price given by the feed. */
  matches: t.integer().notNull(),
  /** Registrations at another price. */
  differences: t.integer().notNull(),
  /** Block of the last match; null if none. */
  lastMatchBlock: t.integer(),
  /**
   * Block of the first difference after the deployment's last check of the feed's phase; null if none. Later renewals
   * have no exact price.
   */
  stoppedBlock: t.integer(),
  /** `unconfirmed_prices.number` of the first waiting row. */
  firstUnconfirmed: t.integer().notNull(),
  /** Number of the next row. */
  nextUnconfirmed: t.integer().notNull(),
}));

/**
 * For the indexer: prices of renewals after the deployment's last check of the feed's phase. The next registration
 * confirms the phase and moves up to 500 of them to `events.exact_cost_wei`.
 */
export const unconfirmedPrice = onchainTable(
  "unconfirmed_prices",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Counts from 0. */
    number: t.integer().notNull(),
    /** Block of the renewal's log. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** Price by the feed's answer. */
    priceWei: t.bigint().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.number] }) }),
);

/**
 * For the indexer: nodes by which layer 2 addresses claimed a name at its reverse registrar before ENSIP-19. These
 * claims are history (`primary_name_changes`), not primary names.
 */
export const reverseNode = onchainTable(
  "reverse_nodes",
  (t) => ({
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    address: t.hex().notNull(),
    /** The node's resolver in the layer 2's registry; null if none. */
    resolver: t.hex(),
    /** The name at that resolver; null if none. */
    name: t.text(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/**
 * The block journal. The newest row of each chain is the block that all other tables, and therefore answers, represent.
 * A block is added and removed in the transaction of its rows, so reorganised blocks are absent. From the end of the
 * backfill on it has every block, before that only blocks with logs; blocks without logs can be missing around a time
 * without an indexer. It covers the last 400,000 block numbers of each chain.
 */
export const block = onchainTable(
  "blocks",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Number of the block. */
    number: t.integer().notNull(),
    /** Hash of the block. */
    hash: t.hex().notNull(),
    /** Hash of the block before; null for past blocks known only from their logs. */
    parentHash: t.hex(),
    /** Time of the block. */
    timestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.number] }) }),
);

/** Every log of every tracked contract, one row per name it concerns (several for a batch transfer). */
export const event = onchainTable(
  "events",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** 0; counts up where one log concerns several names. */
    ordinal: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
    /**
     * Family of the emitter: REGISTRY, REGISTRY_OLD, REGISTRAR, REGISTRAR_OLD, CONTROLLER, NAME_WRAPPER, RESOLVER, ...
     */
    contract: t.text().notNull(),
    contractAddress: t.hex().notNull(),
    /** Event name in the contract. */
    eventType: t.text().notNull(),
    /**
     * The name concerned; null if none (an operator's approval), and for entries of an ENSv2 registry without a name.
     * For record logs of an ENSv2 resolver, the record's number as 32 bytes: `ensv2_links` has the names that show it.
     */
    node: t.hex(),
    fromAddress: t.hex(),
    toAddress: t.hex(),
    ownerAddress: t.hex(),
    newOwnerAddress: t.hex(),
    resolverAddress: t.hex(),
    /**
     * Price in the event; for registrations, base cost plus premium. Basenames: the exact amount paid, from the payment
     * logged just before; null if there was none.
     */
    costWei: t.bigint(),
    baseCostWei: t.bigint(),
    premiumWei: t.bigint(),
    /**
     * Renewals by the controller of 2023 on the main chain: the price by the feed's answer at the log, while `cost_wei`
     * is the value sent, an upper bound. Null where the feed or its phase is unknown.
     */
    exactCostWei: t.bigint(),
    /** True where `cost_wei` is the value sent, before the controller returned the surplus: an upper bound of the price. */
    costIsUpperBound: t.boolean(),
    /** ENSv2: the ERC-20 token of the price. */
    paymentToken: t.hex(),
    /** ENSv2: price in units of that token; for registrations, base plus premium. */
    tokenAmount: t.bigint(),
    referrer: t.hex(),
    expiryTimestamp: t.bigint(),
    /** Registrations and renewals: seconds purchased, or added to the expiry. */
    durationSeconds: t.bigint(),
    fuses: t.int8({ mode: "number" }),
    coinType: t.bigint(),
    /** An address record as bytes, or the address of a reverse record. */
    address: t.hex(),
    key: t.text(),
    value: t.text(),
    /** Text records of old resolvers: source of the value (`calldata`, `read`), or `unknown`. */
    valueSource: t.text(),
    contenthash: t.hex(),
    name: t.text(),
    /** JSON of arguments without a column, and of texts with NUL, which PostgreSQL cannot store. */
    details: t.text(),
    /** Why the log could not be processed; otherwise null. */
    anomaly: t.text(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex, t.ordinal] }),
    anomalies: index("events_anomaly").on(t.anomaly).where(sql`anomaly is not null`),
  }),
);

/**
 * The owner of a name from this log on. One row per event that changed an owner in any layer, or the fuses or expiry of a
 * wrapped token, which determine when it ends without an event. An ENSv2 name also gets a row, with the same owner, when
 * its own or a parent's expiry changes after it passed, or is set into the past. So each row shows how long the previous
 * owner could hold the name.
 */
export const ownershipChange = onchainTable(
  "ownership_changes",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    ordinal: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Effective owner after the event; null if none. */
    ownerAddress: t.hex(),
    /** The layer that decides it; null if there is no owner. */
    reason: ownershipReason(),
    registryOwner: t.hex(),
    registrarOwner: t.hex(),
    wrapperOwner: t.hex(),
    /** Fuses stored in the NameWrapper; null if never wrapped. */
    wrapperFuses: t.int8({ mode: "number" }),
    /** Expiry stored in the NameWrapper; null if never wrapped. */
    wrapperExpiryTimestamp: t.bigint(),
    /** ENSv2: expiry of the entry that answered before; null if none did. */
    previousExpiryTimestamp: t.bigint(),
    /** ENSv2: previous `path_expiry_timestamp` of the name. */
    previousPathExpiryTimestamp: t.bigint(),
    /** The event that caused the change. */
    eventType: t.text().notNull(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex, t.ordinal] }),
  }),
);

/** The resolver of a name from this log on; null if none. */
export const resolverChange = onchainTable(
  "resolver_changes",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** 0; counts up where one log changed several names. */
    ordinal: t.integer().notNull().default(0),
    node: t.hex().notNull(),
    resolver: t.hex(),
    /** The name's previous resolver; null if none. Indexed, to find a resolver's former names. */
    previousResolver: t.hex(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex, t.ordinal] }),
  }),
);

/** A resolver's data for a node besides texts and addresses. It stays when the name changes its resolver. */
export const resolverNode = onchainTable(
  "resolver_nodes",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    /** Incremented each time records are cleared; records of earlier versions are void. */
    version: t.int8({ mode: "number" }).notNull(),
    contenthash: t.hex(),
    /** The `name` record, by which a reverse node names an address. */
    name: t.text(),
    blockNumber: t.integer().notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.resolver, t.node] }),
    byNode: index("resolver_nodes_node").on(t.node),
  }),
);

/** Text records by resolver, node and version. Those of the node's current resolver and version are in force. */
export const textRecord = onchainTable(
  "text_records",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    version: t.int8({ mode: "number" }).notNull(),
    /** keccak256 of the key, because keys can exceed the size limit of an index. */
    keyHash: t.hex().notNull(),
    /** The key. In `key` and `value`, U+2400 stands for NUL. */
    key: t.text().notNull(),
    /** Null if cleared, or if `is_value_known` is false. */
    value: t.text(),
    /** False where the event has no value, and neither calldata nor a read at its block revealed one. */
    isValueKnown: t.boolean().notNull(),
    /** JSON of `key` and `value` where one contains NUL, which PostgreSQL cannot store; otherwise null. */
    exact: t.text(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
    /** How often the key was set in that transaction so far, to find the value in calldata with several sets. */
    setsInTransaction: t.integer().notNull(),
    /** True if the value was read at the end of its block, so that a later set in that block overrides it. */
    isRead: t.boolean().notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.resolver, t.node, t.version, t.keyHash] }),
    byNode: index("text_records_node").on(t.node, t.keyHash),
    /** The few by which names claim agents (ENSIP-25), for the directory of agents. */
    agentClaims: index("text_records_agent_claims")
      .on(t.node, t.resolver, t.version)
      .where(sql`key like 'agent-registration[%'`),
  }),
);

/** Address records by resolver, node, version and coin type (SLIP-44, ENSIP-11). */
export const addressRecord = onchainTable(
  "address_records",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    version: t.int8({ mode: "number" }).notNull(),
    coinType: t.bigint().notNull(),
    /** The address as bytes (20 for EVM chains); null if cleared. */
    address: t.hex(),
    blockNumber: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.resolver, t.node, t.version, t.coinType] }),
    byNode: index("address_records_node").on(t.node),
  }),
);

/** The name each address claims, by coin type. A claim is a primary name only if the name resolves back. */
export const primaryName = onchainTable(
  "primary_names",
  (t) => ({
    address: t.hex().notNull(),
    /** 60 for Ethereum, 2147483648 for the default of ENSIP-19, otherwise 2147483648 + chain id. */
    coinType: t.int8({ mode: "number" }).notNull(),
    /** The claim; null if cleared, longer than 1,024 bytes, or if `is_name_known` is false. */
    name: t.text(),
    /** False where the reverse node's resolver emits no events, so that only the chain knows the name. */
    isNameKnown: t.boolean().notNull(),
    /** REVERSE_REGISTRAR, DEFAULT_REVERSE_REGISTRAR or L2_REVERSE_REGISTRAR. */
    registrar: t.text().notNull(),
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.address, t.coinType] }),
    byName: index("primary_names_name").using("hash", t.name),
  }),
);

/**
 * Each change of the name an address claims. With registrar REVERSE_REGISTRAR and a layer 2's coin type, it includes
 * claims at the layer 2's reverse registrar before ENSIP-19, which never were primary names.
 */
export const primaryNameChange = onchainTable(
  "primary_name_changes",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    address: t.hex().notNull(),
    coinType: t.int8({ mode: "number" }).notNull(),
    name: t.text(),
    isNameKnown: t.boolean().notNull(),
    registrar: t.text().notNull(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex] }),
    byAddress: index("primary_name_changes_address").on(t.address, t.blockNumber, t.logIndex),
    byTime: index("primary_name_changes_time").on(t.blockTimestamp),
  }),
);

/**
 * ERC-8004 agents registered by a tracked adapter, as logged by their registry. Others are not followed, because anyone
 * can register any number.
 */
export const agent = onchainTable(
  "agents",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The identity registry, in which the agent is an ERC-721 token. */
    registry: t.hex().notNull(),
    /** Token id of the agent, from 0. */
    agentId: t.bigint().notNull(),
    /**
     * Owner in the registry: the adapter. With any other owner the agent has left the adapter, and later logs are not
     * followed.
     */
    owner: t.hex().notNull(),
    /** Location of the agent's description (not of the bound token); empty if none. */
    uri: t.text().notNull(),
    /** Block of the registration. */
    blockNumber: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registry, t.agentId] }) }),
);

/**
 * The token each agent is bound to. Bindings never change (ERC-8217). A binding says that the token's controller at
 * that time registered the agent, and nothing about who the agent is.
 */
export const agentBinding = onchainTable(
  "agent_bindings",
  (t) => ({
    chainId: t.integer().notNull(),
    adapter: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    /**
     * The adapter's number: 0 ERC-721, 1 ERC-1155, 2 ERC-6909, 5 a contract, 6 its owner, 7 its administrator; later
     * ones may have more.
     */
    tokenStandard: t.integer().notNull(),
    tokenContract: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    /** The name of the token, in the registrar or NameWrapper; null for other tokens. */
    node: t.hex(),
    /** Account that requested the binding, not always the token's owner. */
    registeredBy: t.hex().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.adapter, t.agentId] }),
    byToken: index("agent_bindings_token").on(t.tokenContract, t.tokenId),
    byNode: index("agent_bindings_node").on(t.node, t.blockTimestamp),
    byTime: index("agent_bindings_time").on(t.blockTimestamp, t.blockNumber, t.logIndex),
  }),
);

/**
 * Every address that an event named as receiver or owner of a name, with the last such block. Excludes names below
 * addr.reverse.
 */
export const holder = onchainTable(
  "holders",
  (t) => ({
    address: t.hex().notNull(),
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    lastOwnedBlockNumber: t.integer().notNull(),
    lastOwnedBlockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.address, t.chainId, t.node] }),
  }),
);

/** Every text record set and every clearing of records (key null), as logged. */
export const textChange = onchainView("text_changes").as((query) =>
  query
    .select({
      chainId: event.chainId,
      blockNumber: event.blockNumber,
      logIndex: event.logIndex,
      node: event.node,
      resolver: sql<string>`${event.contractAddress}`.as("resolver"),
      key: event.key,
      value: event.value,
      valueSource: event.valueSource,
      eventType: event.eventType,
      transactionHash: event.transactionHash,
      blockTimestamp: event.blockTimestamp,
    })
    .from(event)
    .where(and(eq(event.contract, "RESOLVER"), inArray(event.eventType, ["TextChanged", "VersionChanged"]))),
);

const saleCost = "coalesce(exact_cost_wei, cost_wei)";

/** The feed's answer at a row of `events`: before the log on the feed's chain, by time on others. Dollars are exact: 26 digits. */
const answerAtSale = sql`(case when "events".chain_id = (select chain_id from ${feedAnswer} limit 1)
  then (select answer from ${feedAnswer} as feed where feed.chain_id = "events".chain_id
    and (feed.block_number, feed.log_index) < ("events".block_number, "events".log_index)
    order by feed.block_number desc, feed.log_index desc limit 1)
  else (select answer from ${feedAnswer} as feed where feed.block_timestamp <= "events".block_timestamp
    order by feed.block_timestamp desc, feed.block_number desc, feed.log_index desc limit 1) end)`;

/**
 * Sales as controllers logged them, and registrations of claimed short names (2019), with dollars by the feed's answer at the
 * sale; null where that is not known. Sales of ENSv2 are in `ensv2_purchases`.
 */
export const controllerSale = onchainView("controller_sales").as((query) =>
  query
    .select({
      chainId: event.chainId,
      blockNumber: event.blockNumber,
      logIndex: event.logIndex,
      blockTimestamp: event.blockTimestamp,
      transactionHash: event.transactionHash,
      contractAddress: event.contractAddress,
      node: event.node,
      name: event.name,
      isRegistration: sql<boolean>`event_type not in ('NameRenewed', 'NameRenewedPoh')`.as("is_registration"),
      costWei: sql<string | null>`${sql.raw(saleCost)}`.as("cost_wei"),
      premiumWei: event.premiumWei,
      isUpperBound: sql<boolean>`coalesce(cost_is_upper_bound, false) and exact_cost_wei is null`.as(
        "is_upper_bound",
      ),
      referrer: sql<string | null>`coalesce(nullif(referrer, ${sql.raw(`'0x${"0".repeat(64)}'`)}),
        (select referred.referrer from ${event} as referred where referred.chain_id = "events".chain_id
          and referred.block_number = "events".block_number and referred.transaction_hash = "events".transaction_hash
          and referred.node = "events".node and referred.event_type = 'RenewalReferred' limit 1))`.as(
        "referrer",
      ),
      costUsd: sql<string | null>`${sql.raw(saleCost)} * ${answerAtSale} * 1e-26`.as("cost_usd"),
      premiumUsd: sql<string | null>`premium_wei * ${answerAtSale} * 1e-26`.as("premium_usd"),
    })
    .from(event)
    .where(
      and(
        or(
          eq(event.contract, "CONTROLLER"),
          and(eq(event.contract, "REGISTRAR_OLD"), isNotNull(event.costWei)),
        ),
        inArray(event.eventType, [
          "NameRegistered",
          "NameRenewed",
          "PohNameRegistered",
          "OwnerNameRegistered",
          "NameRenewedPoh",
        ]),
      ),
    ),
);

/**
 * Labels as stored by ENSv2 registries. An entry has no name of its own: its names are the paths to its registry. After
 * `expiry` the registry returns no owner, subregistry or resolver, though they stay stored.
 */
export const ensv2Entry = onchainTable(
  "ensv2_entries",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The registry of the entry. */
    registry: t.hex().notNull(),
    /** Key in the registry: the labelhash with its last 32 bits zero. */
    storageId: t.hex().notNull(),
    /** keccak256 of the label. */
    labelhash: t.hex().notNull(),
    /** The label, or `[labelhash]` if it cannot be shown. */
    label: t.text().notNull(),
    /** The token; its last 32 bits count changes of roles. */
    tokenId: t.bigint().notNull(),
    /**
     * Key of the entry's roles in `ensv2_roles`; null for a reservation never registered. After expiry the registry
     * itself returns the key for the next holder's roles.
     */
    resource: t.bigint(),
    /** Holder of the token, kept after expiry; null for a reservation, or if burnt. */
    owner: t.hex(),
    /** Unix seconds. */
    expiry: t.bigint().notNull(),
    /** Registry of the entries directly below; null if none. */
    subregistry: t.hex(),
    /** The entry's resolver; null if none. */
    resolver: t.hex(),
    /** True from the first registration on; a reservation alone leaves the name to ENSv1. */
    isRegistered: t.boolean().notNull(),
    /** Who registered it last: a migration controller for names from ENSv1. Null if never registered. */
    registeredBy: t.hex(),
    /** Block of the last registration; null if never registered. */
    registeredBlockNumber: t.integer(),
    registeredTimestamp: t.int8({ mode: "number" }),
    /** Transaction of the last registration. */
    registeredTransactionHash: t.hex(),
    /** Block of the last reservation; null if never reserved. */
    reservedBlockNumber: t.integer(),
    reservedTimestamp: t.int8({ mode: "number" }),
    /** Transaction of the last reservation. */
    reservedTransactionHash: t.hex(),
    /** Position among the registry's entries, from 0. */
    number: t.integer().notNull(),
    /** The next entry from newest to oldest: the one created before this one in the registry. */
    nextEntry: t.hex(),
    /** Block of the entry's first log. */
    createdBlockNumber: t.integer().notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.registry, t.storageId] }),
    byOwner: index("ensv2_entries_owner").on(t.owner),
    bySubregistry: index("ensv2_entries_subregistry").on(t.subregistry),
  }),
);

/** ENSv2 registries that emitted a log or are the subregistry of an entry, with the parent they claim. */
export const ensv2Registry = onchainTable(
  "ensv2_registries",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** The claimed parent. The claim counts if the parent's entry has this subregistry. */
    parentRegistry: t.hex(),
    /** The claimed label; null if none, or if longer than 255 bytes. */
    parentLabel: t.text(),
    /** Number of entries. */
    entries: t.integer().notNull(),
    /** The newest entry. */
    firstEntry: t.hex(),
    /** The newest of the first 1,000 entries. Later ones are followed only below the registry's first name. */
    lastShared: t.hex(),
    /** Number of its names that are followed (`ensv2_mounts`), at most 8. */
    mounts: t.integer().notNull(),
    createdBlockNumber: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registry] }) }),
);

/**
 * Names whose subregistry is this registry: its entries are directly below them. At most 8 per registry (the root and
 * ETH registries: one) with at most 31 labels; others are found only by a walk from the root. The name that the
 * registry itself claims comes first.
 */
export const ensv2Mount = onchainTable(
  "ensv2_mounts",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** From 0 to `mounts` - 1. */
    position: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Number of labels in the name; 0 for the root. */
    depth: t.integer().notNull(),
    /** `path_expiry_timestamp` of names directly below this one; null if nothing above them ends. */
    pathExpiryTimestamp: t.bigint(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.registry, t.position] }),
    byNode: index("ensv2_mounts_node").on(t.node),
  }),
);

/** For the indexer: the row of `ensv2_mounts` of a name. */
export const ensv2MountNode = onchainTable(
  "ensv2_mount_nodes",
  (t) => ({
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    registry: t.hex().notNull(),
    /** Position among the registry's names, as in `ensv2_mounts`. */
    position: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/**
 * For the indexer: which entries of an ENSv2 registry have a name below one of its present or past names: at most those
 * numbered 1,000 or more and not below `lowest`, and those numbered below 1,000 and not below `lowest_shared`.
 */
export const ensv2Reach = onchainTable(
  "ensv2_reaches",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** The present or past name. */
    node: t.hex().notNull(),
    /** Higher than any number if none has one. */
    lowest: t.integer().notNull(),
    /** 1,000 if none has one. */
    lowestShared: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registry, t.node] }) }),
);

/** Contracts deployed by an ENSv2 factory, with their code. */
export const ensv2Proxy = onchainTable(
  "ensv2_proxies",
  (t) => ({
    chainId: t.integer().notNull(),
    address: t.hex().notNull(),
    /**
     * Its code, one of the deployment's `implementations`. Set to the zero address, for good, once its logs no longer
     * determine its state: it had other code, or changed an entry during its registration. Only the chain answers then.
     */
    implementation: t.hex().notNull(),
    /** Null until the factory's log, the last of the deployment. */
    deployedBy: t.hex(),
    blockNumber: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.address] }) }),
);

/**
 * Operators for everything an owner has in a contract (`ApprovalForAll`): the registry of 2020, registrars,
 * NameWrappers, the deployment's resolvers, and ENSv2 registries.
 */
export const operator = onchainTable(
  "operators",
  (t) => ({
    chainId: t.integer().notNull(),
    contract: t.hex().notNull(),
    /** Account that gives the approval. */
    owner: t.hex().notNull(),
    /** Account that may act. */
    operator: t.hex().notNull(),
    /** False once revoked. */
    isApproved: t.boolean().notNull(),
    /** Block of the last log. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.contract, t.owner, t.operator] }) }),
);

/**
 * The last approval for each name's token in the registrar or NameWrapper, valid while `registrar_approved` or
 * `wrapper_approved` of the name is set.
 */
export const tokenApproval = onchainTable(
  "token_approvals",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The registrar or the NameWrapper. */
    contract: t.hex().notNull(),
    /** The name of the token. */
    node: t.hex().notNull(),
    /** Holder of the token at that time. */
    owner: t.hex().notNull(),
    /** Approved account; null if revoked. */
    approved: t.hex(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.contract, t.node] }) }),
);

/**
 * Accounts that may write a name's records at one of the deployment's resolvers (`Approved`; `AuthorisationChanged`
 * before 2023). Valid only while `owner` owns the name.
 */
export const recordDelegate = onchainTable(
  "record_delegates",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    /** Account that gives the approval. Any account can, for any name. */
    owner: t.hex().notNull(),
    /** Account that may write. */
    delegate: t.hex().notNull(),
    /** False once revoked. */
    isApproved: t.boolean().notNull(),
    /** Block of the last log. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.resolver, t.node, t.owner, t.delegate] }) }),
);

/** Roles of accounts in ENSv2 contracts. */
export const ensv2Role = onchainTable(
  "ensv2_roles",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The registry or resolver. */
    contract: t.hex().notNull(),
    /** What the roles apply to; 0 for the whole contract. */
    resource: t.bigint().notNull(),
    account: t.hex().notNull(),
    /** 64 roles of 4 bits each; 0 if all were revoked. */
    roles: t.bigint().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.contract, t.resource, t.account] }) }),
);

/**
 * The record that an ENSv2 resolver links to a name. Its records are numbered; in `text_records`, `address_records` and
 * `resolver_nodes` the number, as 32 bytes, takes the place of the node.
 */
export const ensv2Link = onchainTable(
  "ensv2_links",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    /** The name's node; the root's stands for all names without a link. */
    node: t.hex().notNull(),
    /** The record's number as 32 bytes; null if unlinked. */
    record: t.hex(),
    blockNumber: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.resolver, t.node] }) }),
);

/** Payments to ENSv2 registrars, in units of an ERC-20 token. */
export const ensv2Purchase = onchainTable(
  "ensv2_purchases",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** The .eth name. */
    node: t.hex().notNull(),
    /** NameRegistered or NameRenewed. */
    eventType: t.text().notNull(),
    contractAddress: t.hex().notNull(),
    paymentToken: t.hex().notNull(),
    /** Base plus premium. */
    amount: t.bigint().notNull(),
    /** Price without premium; null for renewals. */
    base: t.bigint(),
    /** Premium after grace; null for renewals. */
    premium: t.bigint(),
    referrer: t.hex(),
    /** Seconds purchased. */
    durationSeconds: t.bigint().notNull(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex] }),
    byNode: index("ensv2_purchases_node").on(t.node),
    byTime: index("ensv2_purchases_time").on(t.blockTimestamp),
  }),
);

/** When the main chain reached each phase of the change from ENSv1 to ENSv2. */
export const ensv2Phase = onchainTable(
  "ensv2_phases",
  (t) => ({
    chainId: t.integer().notNull(),
    /** deployed, reserving, frozen, handed_over, open, public. */
    phase: t.text().notNull(),
    blockNumber: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.phase] }) }),
);

/** For the indexer: controllers of the ENSv1 registrar, to detect its freeze. */
export const ensv2V1Controller = onchainTable(
  "ensv2_v1_controllers",
  (t) => ({
    chainId: t.integer().notNull(),
    registrar: t.hex().notNull(),
    /** Position among the registrar's controllers, from 0. */
    position: t.integer().notNull(),
    controller: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registrar, t.position] }) }),
);
