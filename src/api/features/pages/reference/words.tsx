import type { Child } from "hono/jsx";

/** What descriptions hold of Markdown: code, and strong words. Everything else is text. */
const PIECES = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** A description as the page shows it. */
export function inline(text: string): Child[] {
  const pieces: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    const [whole, code, strong] = match;
    pieces.push(text.slice(end, match.index));
    pieces.push(code === undefined ? <strong>{strong}</strong> : <code>{code}</code>);
    end = match.index + whole.length;
  }
  return [...pieces, text.slice(end)];
}

/** Paragraphs and lists of a longer description. */
export const Paragraphs = ({ text }: { text: string }) => (
  <>
    {text.split("\n\n").map((block) => {
      const lines = block.split("\n");
      return lines.every((line) => line.startsWith("- ")) ? (
        <ul class="prose">
          {lines.map((line) => (
            <li>{inline(line.slice(2))}</li>
          ))}
        </ul>
      ) : (
        <p>{inline(block)}</p>
      );
    })}
  </>
);
