import { withoutSecrets } from "../../../../settings/hideSecrets.ts";

const MAX_FOREIGN_LENGTH = 120;
/** What is searched for secrets: a text can be a megabyte. A secret that is cut here is beyond what is shown. */
const MAX_SEARCHED_LENGTH = 4_096;

/**
 * Control characters, which a terminal may obey, and those that change the order or the lines of the text around them.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text of a contract, node or server, made safe for a message of ours: without secrets, short, on one line. */
export function sanitizeMessage(text: string): string {
  const line = withoutSecrets(text.slice(0, MAX_SEARCHED_LENGTH)).replaceAll(unprintable, " ");
  return line.length > MAX_FOREIGN_LENGTH ? `${line.slice(0, MAX_FOREIGN_LENGTH).toWellFormed()} …` : line;
}

/** A message of a library, which may hold a secret of the settings, or a URL with one. */
export const withoutKeys = (text: string): string => withoutSecrets(text).replaceAll(/\w+:\/\/\S+/g, "…");
