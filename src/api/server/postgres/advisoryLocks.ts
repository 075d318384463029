/*
 * The numbers of all advisory locks, in one place, so that no two are the same: a database has one space of numbers, and a program
 * that takes another's waits for it, or stops it. What is deployed keeps its number.
 */

/** Locks of the whole database. */
export const databaseLocks = {
  /** One process at a time migrates the service's schema. */
  migration: 6_263_922_017,
  /** One process at a time moves readers to another index. */
  moveOfReaders: 6_263_922_018,
  /** One process at a time gives numbers to labels of callers and tables. */
  labelNumbers: 6_263_922_019,
} as const;

/** First numbers of pairs; the second one is the hash of what they lock: a schema, a folder, or a label service. */
export const pairLocks = {
  /** One process builds indexes and keeps counters of an index. */
  upkeep: 626_392,
  /** One restore works in a schema at a time. */
  restore: 626_393,
  /** Connections that work for a restore. */
  restoreWork: 626_394,
  /** One export writes into a folder. */
  export: 626_395,
  /** One process writes the feed of changes of an index. */
  feed: 626_396,
  /** One process sorts out who wants which change, for the webhooks of a service. */
  webhooks: 626_397,
  /** One process asks a label service. */
  labelHealing: 626_398,
  /** One process at a time serves a webhook; the second number identifies schema and webhook. */
  webhookTurn: 626_399,
  /** One process gives the chains of an index each other's labels. */
  labelSharing: 626_400,
  /** One process compares the logs that sources gave of a chain with the node. */
  sourceComparison: 626_401,
} as const;
