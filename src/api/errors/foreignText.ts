const MAX_FOREIGN_LENGTH = 120;

/** Text of a contract or server, made safe for a message of ours: short, on one line. */
export function sanitizeMessage(text: string): string {
  const begin = text.slice(0, MAX_FOREIGN_LENGTH); // First, because a text can be a megabyte.
  const line = [...begin].map((char) => (char >= " " && char !== "\u007f" ? char : " ")).join("");
  return text.length > MAX_FOREIGN_LENGTH ? `${line} …` : line;
}
