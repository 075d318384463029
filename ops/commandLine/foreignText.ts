/**
 * Characters that a terminal obeys or does not show, and those that change the order or the lines of the text around them.
 * A text of strangers may have any of them: names of a snapshot's chains, a node's message, a value of the database.
 */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** As JSON writes it, so JSON with such characters in its texts says the same. */
const escapeChar = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** A text of several lines whose characters cannot move the cursor, or hide or reverse what is next to them. */
export const escapeControls = (text: string): string =>
  text.replaceAll(unprintable, (char) => (char === "\n" || char === "\t" ? char : escapeChar(char)));

/** Longer texts tell an operator no more. */
const MAX_LENGTH = 300;

/** A text in one line, escaped: it has no lines of its own, which could be taken for ours. */
export const lineOf = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll(unprintable, escapeChar);

/** A stranger's text within a line of ours, cut. */
export const onOneLine = (text: string): string =>
  lineOf(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);

/** Escapes all that this process prints from now on. Node prints an error that ends the process past the streams. */
export function escapeOutput(): void {
  for (const stream of [process.stdout, process.stderr]) escapeIn(stream);
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    if (error instanceof Error) error.stack = escapeControls(error.stack ?? "");
  });
}

type Stream = { write: (text: string) => unknown };

const plainWrites = new WeakMap<object, (text: string) => unknown>();

function escapeIn(stream: NodeJS.WriteStream): void {
  if (plainWrites.has(stream)) return;
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  plainWrites.set(stream, write);
  stream.write = ((chunk: unknown, ...rest: unknown[]) => {
    const text = chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
    return write(escapeControls(text), ...rest);
  }) as typeof stream.write;
}

/** Writes what moves the cursor: only for texts that are ours alone. */
export const writePlainly = (stream: Stream, text: string): unknown =>
  (plainWrites.get(stream) ?? stream.write.bind(stream))(text);
