/**
 * Values of an `events` row that records a role change (EACRolesChanged), as SQL text. An index has these expressions, so a query
 * has to use the same ones to be answered by it. Bounded repetitions would be slow, and are not needed: the indexer wrote the
 * JSON, so numbers and addresses have their proper length.
 */

/** The entry, by the number that its token IDs and resources share: all but the low 32 bits. 0 for the whole contract. */
export const ROLES_OF = `div((substring(details from '"resource":"([0-9]+)"'))::numeric, 4294967296)`;

/** The account whose roles changed. */
export const ROLES_TO = `substring(details from '"account":"(0x[0-9a-f]+)"')`;
