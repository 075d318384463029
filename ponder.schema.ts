/**
 * The tables of the index. Three sorts:
 *
 * - **Current state**, patched by key: `domains`, `resolver_nodes`, `text_records`, `address_records`,
 *   `primary_names`, `labels`, `operators`, `token_approvals`, `record_delegates`, `agents`, `agent_bindings`. It mirrors
 *   what the contracts store. Some states change with time alone (grace, premium, a wrapped name that expired), and no
 *   event tells it: the API computes these at each request.
 * - **The log**, insert-only: `events` has every log of every tracked contract, once per name that it concerns.
 * - **Change rows**, insert-only: `ownership_changes`, `resolver_changes`, `primary_name_changes` (and the view
 *   `text_changes`). Each row starts a period, which ends with the next row of the same name, or by time alone.
 *
 * ENSv2 has tables of its own, `ensv2_…`, which are empty where the deployment has no ENSv2: what its registries and
 * resolvers store. The names at which its entries are found are rows of `domains`.
 *
 * `blocks` is the journal of the blocks that the tables stand on. The engine writes it, not the handlers.
 *
 * There are more tables: `holders` (which address ever appeared on an event of which name), `name_links` (finds
 * the names that show the hash of a label when the label becomes known), `work_queues`, `work_owners` and `work_lists` (which
 * names are still to be written again), `label_progress` (which labels of others are applied), `controllers` (who may sell names),
 * `pending_payments` and `reverse_nodes` (what a log of Basenames says for a later one), `price_feed_phases`, `price_feed_checks` and
 * `unconfirmed_prices` (the price feed by which names are sold).
 *
 * Each row is written by logs of one chain, the one that its `chain_id` names, and handlers read no other chain's rows.
 *
 * Words are the contracts' own. Addresses and hashes are in lower case. Times are unix seconds and amounts are wei; the
 * columns' names say so. Names are never normalised here: a different label is a different node. A label that is
 * unknown, is not UTF-8, has more than 255 bytes, or holds NUL, `.`, `[` or `]` is shown as
 * `[<64 hex of its labelhash>]`. A name of more than 1,024 bytes, a name whose parent no event gave, and every name below
 * such a name is written `[namehash:<64 hex of its node>]`.
 *
 * Primary keys serve the writer (the indexer finds rows by primary key only), indexes serve the readers. Ponder builds
 * the indexes declared here before the index is ready, and again at each restart of the indexer. Therefore the large
 * ones are not declared here: the API builds them (`src/api/upkeep/indexes.ts`), and they stay.
 * PostgreSQL's `text` cannot hold NUL. Names that a record or an address gives, labels that registries claim and URIs of
 * agents are stored with U+2400 as an escape: U+2400 and `0` stand for NUL, U+2400 twice for itself (`src/ens/storable.ts`).
 *
 * PostgreSQL's b-tree takes at most 2,704 bytes, and claimed names, keys and values on chain have no limit: such columns
 * are indexed by hash, by trigram, or by their first characters.
 */
import { and, eq, inArray, index, onchainEnum, onchainTable, onchainView, primaryKey, sql } from "ponder";

/** The layer that decides who owns a name: the wrapper before the registrar before the registry; `token` in ENSv2. */
export const ownershipReason = onchainEnum("ownership_reason", ["registry", "registrar", "wrapper", "token"]);

/**
 * One row per chain and node that any event ever named, with what the contracts store about it now. On a layer 2, only
 * nodes below the name that it manages (`base.eth` on Base): all others in its registry are scaffolding.
 */
export const domain = onchainTable(
  "domains",
  (t) => ({
    /** Chain of the registry that holds the node. */
    chainId: t.integer().notNull(),
    /** namehash of the name. */
    node: t.hex().notNull(),
    /** Node of the parent; null for the root and for nodes whose parent no event gave. */
    parentNode: t.hex(),
    /** keccak256 of the leftmost label; null where `parent_node` is null. */
    labelhash: t.hex(),
    /** The leftmost label, or `[labelhash]`; `full_name` where `parent_node` is null. Empty for the root. */
    label: t.text().notNull(),
    /** True if `label` is the text whose hash is `labelhash`. */
    isLabelKnown: t.boolean().notNull(),
    /** Length of the label in code points; null if unknown. */
    labelLength: t.integer(),
    /**
     * The whole name, unknown labels as `[labelhash]`, in at most 1,024 bytes: a longer name, and every name below it, is
     * `[namehash:<node>]`, and so is a name of which some ancestor's parent is unknown. Empty for the root.
     */
    fullName: t.text().notNull(),
    /** True if every label of the name is known, so that `full_name` can no longer change. */
    isNameKnown: t.boolean().notNull(),
    /** Owner in the registry, of 2020 if the node was migrated, else of 2017; null if none. */
    registryOwner: t.hex(),
    /** True once the node has a record of its own in the registry of 2020; the old one no longer counts then. */
    isMigrated: t.boolean().notNull(),
    /** The node's resolver in the registry; null if none. */
    resolver: t.hex(),
    /**
     * Names of a registrar (right under `eth`, on a layer 2 right under the name that it manages): holder of the
     * registrar's token, the last one after expiry; null if burnt or never held.
     */
    registrarOwner: t.hex(),
    /** Names of a registrar: the registrar's expiry, wrapped or not. Null if never registered. */
    registrarExpiryTimestamp: t.bigint(),
    /** Whom the registrar lets transfer the token besides its holder; null if no account. A transfer ends it. */
    registrarApproved: t.hex(),
    /** Owner of the NameWrapper's token as stored (an expired one too); null if none. */
    wrapperOwner: t.hex(),
    /**
     * Whom the NameWrapper lets extend subnames besides the owner; null if no account. A transfer ends it, unless
     * CANNOT_APPROVE (fuse 64) is burnt. A transfer of the token to its own owner ends it without a log.
     */
    wrapperApproved: t.hex(),
    /** Fuses as stored in the NameWrapper, which keeps them after unwrapping; null if never wrapped. */
    wrapperFuses: t.int8({ mode: "number" }),
    /** Expiry as stored in the NameWrapper, kept after unwrapping; null if never wrapped. */
    wrapperExpiryTimestamp: t.bigint(),
    /**
     * Renewals since the wrapper's expiry was last known, of which no log that is read says whether they went through the
     * NameWrapper, which then moves its expiry without a log; null if there are none. While there are some,
     * `wrapper_expiry_timestamp` is the earliest that can be: from then on who owns the name is not known here.
     */
    unexplainedRenewals: t.integer(),
    /**
     * True if the registry owner is the NameWrapper, the wrapper's token has an owner and, for a name of a registrar,
     * the registrar owner is the NameWrapper. Once `wrapper_expiry_timestamp` is past, a name with
     * PARENT_CANNOT_CONTROL (fuse 65536) is no longer wrapped, though no event says so. False where `registry` is set.
     */
    isWrapped: t.boolean().notNull(),
    /** When the name ends: names of a registrar by the registrar, wrapped subnames by the wrapper, others null. */
    expiryTimestamp: t.bigint(),
    /** Owner by the first layer that has one: wrapper, then registrar, then registry; null if none. */
    effectiveOwnerAddress: t.hex(),
    /**
     * The registry of ENSv2 whose entry answers for the node; null where ENSv1 does. The entry is the row of
     * `ensv2_entries` with this registry and `labelhash`, its last 32 bits zero. `resolver`, `expiry_timestamp` and
     * `effective_owner_address` are then the entry's; the owners, fuses and expiries of registry, registrar and wrapper
     * stay those of ENSv1. The zero address: such an entry answered once, and its registry is no longer at the parent.
     * ENSv1 does not answer again then, and the name has no owner, no resolver and no expiry.
     */
    registry: t.hex(),
    /**
     * When the way to the name ends: the earliest expiry of the entries of ENSv2 above it, from the root registry down.
     * From that second on no registry answers for the name, whatever its own expiry. Null where nothing above ends (an entry
     * with the expiry 2^64 - 1, as that of `eth` has, never does), and where ENSv1 answers.
     */
    pathExpiryTimestamp: t.bigint(),
    /**
     * When the name was registered last: by the registrar of its chain, by 3DNS, or in ENSv2 by the registry that answers.
     * The registrar of 2020 logs a registration for each name that was moved to it, too. Null for names that none registered.
     */
    registeredTimestamp: t.int8({ mode: "number" }),
    /** Block of the first event of the name. */
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

/** Texts of labels, by their hash: only texts with that keccak256, wherever they are from. */
export const label = onchainTable(
  "labels",
  (t) => ({
    chainId: t.integer().notNull(),
    labelhash: t.hex().notNull(),
    /**
     * The text; null while it is unknown, and always if it cannot be shown (NUL, `.`, `[`, `]`, not UTF-8, more than 255
     * bytes).
     */
    label: t.text(),
    /**
     * Where the text is from: `event` (a log of the chain spelled it out), `caller` (a caller of the API wrote it),
     * `table:<id>@<version>` (a table that the operator imported) or `service:<id>@<version>` (a service that was asked). An
     * event goes before the others. Null while the text is unknown.
     */
    source: t.text(),
    /**
     * First of the chain's nodes that show this label as `[labelhash]` (without names of the registrar, whose node
     * follows from the label).
     */
    firstNode: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.labelhash] }) }),
);

/** For the indexer: which names to write again when one of their labels becomes known. */
export const nameLink = onchainTable(
  "name_links",
  (t) => ({
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Next node with the same unknown label. */
    nextSameLabel: t.hex(),
    /** First child of this node, and the next child of its parent; only below names that are not wholly known. */
    firstChild: t.hex(),
    nextSibling: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/** What a list of waiting work is of: names with one label, the children of a name, or the entries below a mount. */
export const workKind = onchainEnum("work_kind", ["same_label", "children", "entries"]);

/**
 * For the indexer: how much was done of what one log can ask for in thousands of rows: names to write again because a label
 * became known, and names that entries of ENSv2 get or lose because a registry was linked. While `first_owner` is set, some
 * of it waits for later blocks.
 */
export const workQueue = onchainTable("work_queues", (t) => ({
  /** Chain of the logs. */
  chainId: t.integer().primaryKey(),
  /** The last block in which any of it was done. */
  blockNumber: t.integer().notNull(),
  /** Rows looked at in that block; at most 500 a block. */
  done: t.integer().notNull(),
  /** Whose turn is next (`work_owners`); null if nothing waits. */
  firstOwner: t.hex(),
  /** Who is the last in turn. */
  lastOwner: t.hex(),
}));

/** For the indexer: for whom work waits. Each one has a turn after the others. */
export const workOwner = onchainTable(
  "work_owners",
  (t) => ({
    chainId: t.integer().notNull(),
    /**
     * A labelhash (`same_label`), the node of a parent (`children`) or a registry (`entries`); the number 1 for all labels
     * together that others than the chain's logs gave.
     */
    owner: t.hex().notNull(),
    /** The first of the owner's lists, by `node`; null if none is left. */
    firstNode: t.hex(),
    /** The last of them. */
    lastNode: t.hex(),
    /** Whether it is in the order of turns. */
    isQueued: t.boolean().notNull(),
    /** Who has the turn after it. */
    nextOwner: t.hex(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.owner] }) }),
);

/**
 * For the indexer: lists of rows that are still to be looked at. There is one for each owner and node at most: who asks for
 * the same again while it waits, has it begin again. A list that is done stays here, without `next_item`.
 */
export const workList = onchainTable(
  "work_lists",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Whose list it is. */
    owner: t.hex().notNull(),
    /** The labelhash, or the parent's node; `entries`: the name below which they are, or were. */
    node: t.hex().notNull(),
    /** What the rows are of. */
    kind: workKind().notNull(),
    /** `entries`: labels of that name. */
    depth: t.integer().notNull(),
    /** The row to look at next, by its node or storage id; null if nothing waits. */
    nextItem: t.hex(),
    /** Where to begin again at the end of the list; null if that is not needed. */
    restartItem: t.hex(),
    /** Where to stop after that. */
    stopItem: t.hex(),
    /** Whether it is among its owner's lists. */
    isQueued: t.boolean().notNull(),
    /** The owner's list after it. */
    nextNode: t.hex(),
    /** The block from which on it waits. */
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
 * For the indexer: how far it has applied the labels that others than the chain's logs gave. They stand in the service's own
 * table `proven_labels`.
 */
export const labelProgress = onchainTable("label_progress", (t) => ({
  /** Chain of the names. */
  chainId: t.integer().primaryKey(),
  /** `proven_labels.position` of the last one: all up to it are applied. 0 if there were none. */
  position: t.int8({ mode: "number" }).notNull(),
}));

/** For the indexer: contracts that may sell names. */
export const controller = onchainTable(
  "controllers",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The contract. */
    controller: t.hex().notNull(),
    /** Whether a registrar of the chain ever took it on. */
    isRegistrars: t.boolean().notNull(),
    /** Whether the NameWrapper lets it register and renew names; null if it never did. */
    isWrappers: t.boolean(),
    /**
     * Of the NameWrapper: how many contracts may renew through it that the deployment does not list, so that a renewal need not
     * have a log that is read. Null for others, and if there never was any.
     */
    unlisted: t.integer(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.controller] }) }),
);

/**
 * For the indexer: the last payment that each controller of Basenames logged, until a purchase of the same transaction
 * takes it.
 */
export const pendingPayment = onchainTable(
  "pending_payments",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The controller that logged it. */
    controller: t.hex().notNull(),
    transactionHash: t.hex().notNull(),
    /** What was paid, without what was given back; null once a purchase took it. */
    priceWei: t.bigint(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.controller] }) }),
);

/** For the indexer: the newest answer in each phase of the price feed by which .eth names are sold. */
export const feedPhase = onchainTable(
  "price_feed_phases",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The feed's number of the phase. Each has a contract of its own, which answers before it takes over, and on after it. */
    phase: t.integer().notNull(),
    /** USD for one ether, with 8 decimals. */
    answer: t.bigint().notNull(),
    blockNumber: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.phase] }) }),
);

/**
 * How the price feed fits what controllers took: each registration since 2023 logs its price, and only one answer of the feed
 * gives that price. A difference means that the feed has a phase that the deployment does not know.
 */
export const feedCheck = onchainTable("price_feed_checks", (t) => ({
  chainId: t.integer().primaryKey(),
  /** Registrations whose price is that of the feed's answer. */
  matches: t.integer().notNull(),
  /** Registrations whose price is another one. */
  differences: t.integer().notNull(),
  /** Block of the last match; null if there was none. */
  lastMatchBlock: t.integer(),
  /**
   * Block of the first difference after the block at which the deployment last saw the feed's phase. From then on renewals
   * have no exact price. Null if there was none.
   */
  stoppedBlock: t.integer(),
  /** `unconfirmed_prices.number` of the first that waits. */
  firstUnconfirmed: t.integer().notNull(),
  /** That of the next one that comes. */
  nextUnconfirmed: t.integer().notNull(),
}));

/**
 * For the indexer: prices of renewals after the block at which the deployment last saw the feed's phase. They wait for the next
 * registration, which confirms the phase, and go into `events.exact_cost_wei` then: at most 500 at once.
 */
export const unconfirmedPrice = onchainTable(
  "unconfirmed_prices",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Counts from 0. */
    number: t.integer().notNull(),
    /** The renewal's log. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** What it cost by the feed's answer. */
    priceWei: t.bigint().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.number] }) }),
);

/**
 * For the indexer: nodes by which addresses of a layer 2 claimed a name at its reverse registrar before ENSIP-19. These
 * claims are history (`primary_name_changes`) and no primary names.
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
 * The journal of blocks: the newest row of each chain is the block that all other tables stand on, as of which answers are. A
 * block's row comes and goes in the transaction of its rows: one that is taken back is not here, and where another chain's
 * reorganisation undoes rows for a moment, neither are this chain's blocks of these rows.
 *
 * From the end of the backfill on every block is here, with logs or without; before that, blocks with logs. Blocks without logs
 * can be absent around a time when no indexer ran. The journal goes back 400,000 numbers of blocks of each chain.
 */
export const block = onchainTable(
  "blocks",
  (t) => ({
    chainId: t.integer().notNull(),
    /** Number of the block. */
    number: t.integer().notNull(),
    /** Hash of the block. */
    hash: t.hex().notNull(),
    /** Hash of the block before. */
    parentHash: t.hex().notNull(),
    /** Time of the block. */
    timestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.number] }) }),
);

/** Every log of every tracked contract, one row per name that it concerns (a batch transfer has several). */
export const event = onchainTable(
  "events",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** 0, and counting up where one log concerns several names. */
    ordinal: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
    /**
     * Family of the emitter: REGISTRY, REGISTRY_OLD, REGISTRAR, REGISTRAR_OLD, CONTROLLER, NAME_WRAPPER, RESOLVER, ...
     */
    contract: t.text().notNull(),
    contractAddress: t.hex().notNull(),
    /** The event's name in the contract. */
    eventType: t.text().notNull(),
    /**
     * The name concerned; null for logs that concern none (an operator's approval), and for entries of an ENSv2 registry
     * that is at no name. A record's log at a resolver of ENSv2 has the record's number here, as 32 bytes: the names
     * that show it are in `ensv2_links`.
     */
    node: t.hex(),
    fromAddress: t.hex(),
    toAddress: t.hex(),
    ownerAddress: t.hex(),
    newOwnerAddress: t.hex(),
    resolverAddress: t.hex(),
    /**
     * Price as the event gives it; registrations: base cost and premium together. Basenames: what the payment's log just
     * before said, so exactly what was paid; null if there was none.
     */
    costWei: t.bigint(),
    baseCostWei: t.bigint(),
    premiumWei: t.bigint(),
    /**
     * Renewals by the controller of 2023, on the main chain: its `cost_wei` is the value sent, an upper bound; this is the
     * price, by the price feed's answer at the log. Null where the feed or its phase is not known.
     */
    exactCostWei: t.bigint(),
    /** Value of the transaction, where `cost_wei` is only an upper bound. */
    transactionValueWei: t.bigint(),
    /** ENSv2: the ERC-20 token in which the price is. */
    paymentToken: t.hex(),
    /** ENSv2: the price in units of that token; registrations: base and premium together. */
    tokenAmount: t.bigint(),
    referrer: t.hex(),
    expiryTimestamp: t.bigint(),
    /** Renewals and registrations: seconds added to the expiry, or bought. */
    durationSeconds: t.bigint(),
    fuses: t.int8({ mode: "number" }),
    coinType: t.bigint(),
    /** An address record as bytes, or the address a reverse record is for. */
    address: t.hex(),
    key: t.text(),
    value: t.text(),
    /** Text records of old resolvers: where the value comes from (`calldata`, `read`), or `unknown`. */
    valueSource: t.text(),
    contenthash: t.hex(),
    name: t.text(),
    /** JSON of the arguments that have no column, and of texts with NUL, which PostgreSQL cannot store. */
    details: t.text(),
    /** Why the log could not be understood; null for all others. */
    anomaly: t.text(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex, t.ordinal] }),
    anomalies: index("events_anomaly").on(t.anomaly).where(sql`anomaly is not null`),
  }),
);

/**
 * Who owns a name from here on: one row per event that changed an owner in any layer, or the fuses or expiry of a token
 * that the NameWrapper holds for an owner, because these say when the token ends without an event. A name of ENSv2 also has
 * a row, with the same owner, where its expiry or its parent's moved after it had passed, or to a time that had: so each
 * row says until when the owner of the row before could have the name.
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
    /** Fuses as stored in the NameWrapper; null if never wrapped. */
    wrapperFuses: t.int8({ mode: "number" }),
    /** Expiry as stored in the NameWrapper; null if never wrapped. */
    wrapperExpiryTimestamp: t.bigint(),
    /** ENSv2: the expiry of the entry that answered until then; null where none did. */
    previousExpiryTimestamp: t.bigint(),
    /** ENSv2: `path_expiry_timestamp` of the name until then. */
    previousPathExpiryTimestamp: t.bigint(),
    /** The event that led to this. */
    eventType: t.text().notNull(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex, t.ordinal] }),
  }),
);

/** The resolver of a name from here on; null for none. */
export const resolverChange = onchainTable(
  "resolver_changes",
  (t) => ({
    chainId: t.integer().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    /** 0, and others where one log changed several names. */
    ordinal: t.integer().notNull().default(0),
    node: t.hex().notNull(),
    resolver: t.hex(),
    /** The name's resolver until then; null for none. So a resolver's former names are found by an index. */
    previousResolver: t.hex(),
    transactionHash: t.hex().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.blockNumber, t.logIndex, t.ordinal] }),
  }),
);

/** What a resolver holds for a node besides texts and addresses; it stays when the name gets another resolver. */
export const resolverNode = onchainTable(
  "resolver_nodes",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    /** Counts up at each clearing of records; records of earlier versions no longer hold. */
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

/** Text records, by resolver, node and version; those of the node's current resolver and version are in force. */
export const textRecord = onchainTable(
  "text_records",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    version: t.int8({ mode: "number" }).notNull(),
    /** keccak256 of the key: keys on chain can be longer than an index takes. */
    keyHash: t.hex().notNull(),
    /** The key; in it and in `value` U+2400 stands for NUL. */
    key: t.text().notNull(),
    /** Null if cleared, or if `is_value_known` is false. */
    value: t.text(),
    /** False where the event has no value and neither calldata nor a read at its block gave one. */
    isValueKnown: t.boolean().notNull(),
    /** JSON of `key` and `value` where one holds NUL, which PostgreSQL cannot store; else null. */
    exact: t.text(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
    /** How often the key was set in that transaction so far; finds the value in the calldata of several sets. */
    setsInTransaction: t.integer().notNull(),
    /** True if the value was read at the end of its block, so that a later set in that block overtakes it. */
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

/** Address records by coin type (SLIP-44, ENSIP-11), by resolver, node and version. */
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

/** The name each address claims, by coin type: a claim is a primary name only if the name resolves back. */
export const primaryName = onchainTable(
  "primary_names",
  (t) => ({
    address: t.hex().notNull(),
    /** 60 for Ethereum, 2147483648 for the default of ENSIP-19, else 2147483648 + the chain's id. */
    coinType: t.int8({ mode: "number" }).notNull(),
    /** The claim; null if cleared, if it has more than 1,024 bytes, or if `is_name_known` is false. */
    name: t.text(),
    /** False where the reverse node's resolver emits no events: only the chain knows the name. */
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
 * Each change of the name that an address claims; with registrar REVERSE_REGISTRAR and a layer 2's coin type also claims at
 * the layer 2's reverse registrar before ENSIP-19, which never were primary names.
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
 * Agents of ERC-8004 that a tracked adapter registered, as their registry logs them. Others are not followed: anyone
 * can register any number.
 */
export const agent = onchainTable(
  "agents",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The identity registry, where the agent is an ERC-721 token. */
    registry: t.hex().notNull(),
    /** Token id of the agent, from 0 on. */
    agentId: t.bigint().notNull(),
    /**
     * Owner in the registry: the adapter. If it is another address, the agent left the adapter, and later logs are not
     * followed.
     */
    owner: t.hex().notNull(),
    /** Where the agent is described (not the token that it is bound to); empty if nowhere. */
    uri: t.text().notNull(),
    /** Where the agent was registered. */
    blockNumber: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registry, t.agentId] }) }),
);

/**
 * The token that each agent is bound to; a binding is never changed or undone (ERC-8217). It says that the controller
 * of the token at that time registered the agent, and nothing about who the agent is.
 */
export const agentBinding = onchainTable(
  "agent_bindings",
  (t) => ({
    chainId: t.integer().notNull(),
    adapter: t.hex().notNull(),
    agentId: t.bigint().notNull(),
    /** The adapter's number: 0 ERC-721, 1 ERC-1155, 2 ERC-6909, 5 a contract, 6 its owner, 7 its administrator; later ones may have more. */
    tokenStandard: t.integer().notNull(),
    tokenContract: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    /** The name whose token it is, of the registrar or of the NameWrapper; null for any other token. */
    node: t.hex(),
    /** Who asked for the binding; not always the token's owner. */
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
 * Addresses that ever appeared on an event of a name as receiver or owner, and when last; without names below
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

/** Every setting of a text record and every clearing of records (key null), as logged. */
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

/**
 * What a registry of ENSv2 stores of a label. An entry has no name of its own: its names are the paths that lead to its
 * registry. After `expiry` the registry answers no owner, subregistry and resolver; they stay stored.
 */
export const ensv2Entry = onchainTable(
  "ensv2_entries",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The registry that has the entry. */
    registry: t.hex().notNull(),
    /** The labelhash with its last 32 bits zero: the key in the registry. */
    storageId: t.hex().notNull(),
    /** keccak256 of the label. */
    labelhash: t.hex().notNull(),
    /** The label, or `[labelhash]` where it cannot be shown. */
    label: t.text().notNull(),
    /** The token; its last 32 bits count up with each change of roles. */
    tokenId: t.bigint().notNull(),
    /**
     * Key of the entry's roles in `ensv2_roles`; null for a reservation that never was registered. Once the entry expired,
     * the registry itself answers the key of the roles that the next holder will have.
     */
    resource: t.bigint(),
    /** Holder of the token, the last one after the expiry; null for a reservation, and if the token was burnt. */
    owner: t.hex(),
    /** Unix seconds. */
    expiry: t.bigint().notNull(),
    /** The registry whose entries are right below the entry's names; null if none. */
    subregistry: t.hex(),
    /** The resolver of the entry's names; null if none. */
    resolver: t.hex(),
    /** True from the first registration on; a reservation alone leaves the name to ENSv1. */
    isRegistered: t.boolean().notNull(),
    /** Who registered it last: a migration controller for a name that came from ENSv1. Null if never registered. */
    registeredBy: t.hex(),
    /** Block of the last registration; null if never registered. */
    registeredBlockNumber: t.integer(),
    /** Time of that block. */
    registeredTimestamp: t.int8({ mode: "number" }),
    /** Transaction of the last registration. */
    registeredTransactionHash: t.hex(),
    /** Block of the last reservation; null if never reserved. */
    reservedBlockNumber: t.integer(),
    /** Time of that block. */
    reservedTimestamp: t.int8({ mode: "number" }),
    /** Transaction of the last reservation. */
    reservedTransactionHash: t.hex(),
    /** Counts the entries of the registry, from 0. */
    number: t.integer().notNull(),
    /** The entry that was made before this one in the registry. */
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

/** The registries of ENSv2 that logged anything, or that an entry has as its subregistry, and where they say they are. */
export const ensv2Registry = onchainTable(
  "ensv2_registries",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** The parent and label that it claims; they count if the parent's entry has it as its subregistry. */
    parentRegistry: t.hex(),
    /** The label there; null if none was claimed, or one of more than 255 bytes. */
    parentLabel: t.text(),
    /** How many entries it has. */
    entries: t.integer().notNull(),
    /** The newest entry. */
    firstEntry: t.hex(),
    /** The newest of the first 1,000 entries: later ones are followed below the registry's first name only. */
    lastShared: t.hex(),
    /** How many names it is at that are followed (`ensv2_mounts`), at most 8. */
    mounts: t.integer().notNull(),
    createdBlockNumber: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registry] }) }),
);

/**
 * The names that a registry of ENSv2 is the subregistry of: its entries are right below them. At most 8 for each registry
 * (the root and ETH registries: one) with at most 31 labels; others are found by the walk from the root only. A name that
 * the registry itself claims to be at goes before others.
 */
export const ensv2Mount = onchainTable(
  "ensv2_mounts",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** Counts from 0 to `mounts` - 1. */
    position: t.integer().notNull(),
    node: t.hex().notNull(),
    /** Labels of the name; the root has none. */
    depth: t.integer().notNull(),
    /** `path_expiry_timestamp` of the names right below this one; null if nothing above them ends. */
    pathExpiryTimestamp: t.bigint(),
  }),
  (t) => ({
    pk: primaryKey({ columns: [t.chainId, t.registry, t.position] }),
    byNode: index("ensv2_mounts_node").on(t.node),
  }),
);

/** For the indexer: which row of `ensv2_mounts` a name has. */
export const ensv2MountNode = onchainTable(
  "ensv2_mount_nodes",
  (t) => ({
    chainId: t.integer().notNull(),
    node: t.hex().notNull(),
    registry: t.hex().notNull(),
    /** Place of the name among those of the registry, as in `ensv2_mounts`. */
    position: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.node] }) }),
);

/**
 * For the indexer: which entries of a registry of ENSv2 have a name below a name at which it is, or was: at most those whose
 * number is 1,000 or more and not below `lowest`, and those whose number is below 1,000 and not below `lowest_shared`.
 */
export const ensv2Reach = onchainTable(
  "ensv2_reaches",
  (t) => ({
    chainId: t.integer().notNull(),
    registry: t.hex().notNull(),
    /** That name. */
    node: t.hex().notNull(),
    /** Higher than any number if none of these has. */
    lowest: t.integer().notNull(),
    /** 1,000 if none of these has. */
    lowestShared: t.integer().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registry, t.node] }) }),
);

/** Contracts that a factory of ENSv2 deployed, with their code. */
export const ensv2Proxy = onchainTable(
  "ensv2_proxies",
  (t) => ({
    chainId: t.integer().notNull(),
    address: t.hex().notNull(),
    /**
     * The code that it has, one of the deployment's `implementations`. The zero address once its logs no longer tell what it
     * stores, for good: it had other code, or changed an entry from within its registration. Only the chain answers then.
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
 * Who may act for an owner in all of a contract (`ApprovalForAll`): in the registry of 2020, registrars, NameWrappers, the
 * deployment's resolvers, and registries of ENSv2. It is for what the owner has there at the time.
 */
export const operator = onchainTable(
  "operators",
  (t) => ({
    chainId: t.integer().notNull(),
    contract: t.hex().notNull(),
    /** Who lets another act. */
    owner: t.hex().notNull(),
    /** Who may act. */
    operator: t.hex().notNull(),
    /** False once the owner took it back. */
    isApproved: t.boolean().notNull(),
    /** Block of the last log of it. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.contract, t.owner, t.operator] }) }),
);

/**
 * The last approval of each token of a name, in the registrar or the NameWrapper. It holds while `registrar_approved` or
 * `wrapper_approved` of the name is set.
 */
export const tokenApproval = onchainTable(
  "token_approvals",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The registrar or the NameWrapper. */
    contract: t.hex().notNull(),
    /** The name whose token it is. */
    node: t.hex().notNull(),
    /** Holder of the token at that time. */
    owner: t.hex().notNull(),
    /** Who was approved; null if it was taken back. */
    approved: t.hex(),
    /** Block of the log. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.contract, t.node] }) }),
);

/**
 * Who may write the records of one name at one of the deployment's resolvers (`Approved`; `AuthorisationChanged` before
 * 2023). It counts only while the one who gave it owns the name.
 */
export const recordDelegate = onchainTable(
  "record_delegates",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    node: t.hex().notNull(),
    /** Who lets another write: any account can, for any name. */
    owner: t.hex().notNull(),
    /** Who may write. */
    delegate: t.hex().notNull(),
    /** False once the owner took it back. */
    isApproved: t.boolean().notNull(),
    /** Block of the last log of it. */
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.resolver, t.node, t.owner, t.delegate] }) }),
);

/** What accounts may do in contracts of ENSv2. */
export const ensv2Role = onchainTable(
  "ensv2_roles",
  (t) => ({
    chainId: t.integer().notNull(),
    /** The registry or resolver. */
    contract: t.hex().notNull(),
    /** What the roles are for; 0 for all of the contract. */
    resource: t.bigint().notNull(),
    /** Who has the roles. */
    account: t.hex().notNull(),
    /** 64 roles of 4 bits each; 0 if all were taken away. */
    roles: t.bigint().notNull(),
    blockNumber: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    blockTimestamp: t.int8({ mode: "number" }).notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.contract, t.resource, t.account] }) }),
);

/**
 * Which record a resolver of ENSv2 has for a name. Records have a number there; in `text_records`, `address_records` and
 * `resolver_nodes` that number, as 32 bytes, stands in place of the node.
 */
export const ensv2Link = onchainTable(
  "ensv2_links",
  (t) => ({
    chainId: t.integer().notNull(),
    resolver: t.hex().notNull(),
    /** The name's node; that of the root stands for all names without a link. */
    node: t.hex().notNull(),
    /** The record's number as 32 bytes; null if unlinked. */
    record: t.hex(),
    blockNumber: t.integer().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.resolver, t.node] }) }),
);

/** What was paid to registrars of ENSv2, in units of an ERC-20 token. */
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
    /** Base and premium together. */
    amount: t.bigint().notNull(),
    /** Price without premium; null for renewals. */
    base: t.bigint(),
    /** Premium after grace; null for renewals. */
    premium: t.bigint(),
    referrer: t.hex(),
    /** Seconds that were bought. */
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

/** For the indexer: the controllers of the registrar of ENSv1, to tell when it was frozen. */
export const ensv2V1Controller = onchainTable(
  "ensv2_v1_controllers",
  (t) => ({
    chainId: t.integer().notNull(),
    registrar: t.hex().notNull(),
    /** Counts the registrar's controllers from 0. */
    position: t.integer().notNull(),
    /** The controller. */
    controller: t.hex().notNull(),
  }),
  (t) => ({ pk: primaryKey({ columns: [t.chainId, t.registrar, t.position] }) }),
);
