/*
 * What a row of `events` with a change of roles (EACRolesChanged) is of, as SQL text: an index has these expressions, and a
 * query that is to be answered by the index has to say the same. Bounded repetitions would be slow: the indexer wrote the JSON,
 * so numbers and addresses have their length.
 */

/** The entry, by the number that its token ids and resources share: all but the last 32 bits. 0 for the whole contract. */
export const ROLES_OF = `div((substring(details from '"resource":"([0-9]+)"'))::numeric, 4294967296)`;

/** Whose roles they are. */
export const ROLES_TO = `substring(details from '"account":"(0x[0-9a-f]+)"')`;
