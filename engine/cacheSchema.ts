// Part of the patch ownCache.

/**
 * The schema of the cache of past events. All indexes of a database share it. It is not Ponder's own: Namedex does not cache whole
 * blocks, nor transactions that no handler needs, and other programs would take that for all there is.
 */
export const CACHE_SCHEMA = "namedex_cache";

/** The schema of Ponder as published, and of older releases. */
const PONDERS = "ponder_sync";

/** A text of SQL for Ponder's own schema, for ours. */
export const inCacheSchema = (text: string): string => text.replaceAll(`${PONDERS}.`, `${CACHE_SCHEMA}.`);

/** Whether no index may have this schema. */
export const isCacheSchema = (schema: string): boolean => schema === CACHE_SCHEMA || schema === PONDERS;
