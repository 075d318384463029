/*
 * The bounds of a query. The plan of a query is made and counted before anything is read; one that passes a bound is
 * refused. docs/security.md lists them.
 */

/** Entities of one list; graph-node's own bounds. */
export const FIRST = { byDefault: 100, most: 1_000 } as const;

/** Entities before a page: the bound of the hosted subgraphs. */
export const MAX_SKIP = 5_000;

/** Characters of a query's text: comments and spaces are read too, but are not tokens. */
export const MAX_QUERY = 150_000;

/** Tokens of a query's text: names, signs and values. */
export const MAX_TOKENS = 5_000;

/** Levels of a query. */
export const MAX_DEPTH = 12;

/** Levels of a query of the schema: what tools ask for has 14. */
export const MAX_SCHEMA_LEVELS = 20;

/** Values that a query takes from the schema: what tools ask for are some 30,000. */
export const MAX_SCHEMA_VALUES = 100_000;

/** Fields of Query in one request, aliases counted. */
export const MAX_ROOTS = 100;

/** Fields, those of fragments at each place where they are used. */
export const MAX_FIELDS = 5_000;

/** Statements that a query needs. */
export const MAX_STATEMENTS = 150;

/** Entities that a query asks for: the products of `first` along its levels. */
export const MAX_ENTITIES = 250_000;

/** Entities that are read for a query. */
export const MAX_READ = 50_000;

/** How often one field of an entity is selected, under as many names. */
export const MAX_SAME = 10;

/** Conditions of all filters of a query, and values of their lists. */
export const MAX_CONDITIONS = 2_000;

/** Characters of all filter values of a query, each counted wherever it appears: a variable can appear often. */
export const MAX_FILTER_TEXT = 1_000_000;

/** Characters of a part that texts are searched for: a comparison takes as long as both lengths multiplied, and is not broken off. */
export const MAX_PART = 1_000;

/** Logs since a past block that are looked through to know whether an answer is still what it was. */
export const MAX_CHANGES = 10_000;

/** Blocks that a query names. */
export const MAX_BLOCKS = 10;

/** Levels of `and` and `or` in a filter. */
export const MAX_FILTER_LEVELS = 8;

/** Levels of relations in a filter. */
export const MAX_RELATIONS = 3;

/** Relations in all filters of a query: PostgreSQL plans 300 of them for 5 s, and 900 for minutes. */
export const MAX_RELATIONS_IN_ALL = 50;

/** Entities that one credit pays for. */
export const ENTITIES_OF_CREDIT = 1_000;

/** Queries that one process answers at a time, and those that wait; in all, and of one caller. */
export const MAX_AT_ONCE = { most: 4, each: 2 };
export const MAX_WAITING = { most: 100, each: 20 };

/** Statements of all these queries that run at a time, and of one caller's: each takes a connection. */
export const MAX_STATEMENTS_AT_ONCE = { most: 4, each: 3 };
