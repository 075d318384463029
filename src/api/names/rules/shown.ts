/**
 * Longest text in a list or feed, in code points. Strangers write texts, and a log can hold a megabyte; names, links and
 * profiles are far shorter. An answer of 1,000 texts of this length is about 1 MB.
 */
export const MAX_SHOWN = 1_024;

/** Longest text of an agent's profile in an answer. */
export const MAX_PROFILE_TEXT = 4_096;

/**
 * Longest URI of an agent. It may hold the description itself (`data:`). A longer one is left out: if it were cut, it
 * would be another URI.
 */
export const MAX_AGENT_URI = 8_192;

/** Accounts with roles for one name that an answer lists. */
export const MAX_ROLE_HOLDERS = 25;
