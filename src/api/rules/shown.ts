/**
 * Longest text in a list or feed, in code points. Strangers write texts, and a log can hold a megabyte; names, links and
 * profiles are far shorter. An answer of 1,000 texts of this length is about 1 MB.
 */
export const MAX_SHOWN = 1_024;
