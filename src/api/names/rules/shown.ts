/**
 * Longest text in a list or feed, in code points. Strangers write texts, and a log can contain a megabyte; names, links and
 * profiles are far shorter. An answer with 1,000 texts of this length is about 1 MB.
 */
export const MAX_SHOWN = 1_024;

/** Longest text of an agent's profile in an answer. */
export const MAX_PROFILE_TEXT = 4_096;

/**
 * Longest URI of an agent. It may contain the description itself (`data:`). A longer one is left out: if cut, it would be a
 * different URI.
 */
export const MAX_AGENT_URI = 8_192;

/** Maximum number of listed accounts with roles for one name. */
export const MAX_ROLE_HOLDERS = 25;
