import { styleText } from "node:util";

type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";

/** Text in a style where the terminal shows styles, else as it is. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** A piece of work under way: `tell` says how far it is, `done` ends its line. */
export type Step = { tell: (detail: string) => void; done: (outcome: string) => void };

const isTerminal = process.stdout.isTTY === true;
let open: string | null = null;
let isOver = false;

/**
 * Begins a line of progress. In a terminal the line is rewritten as the work proceeds; elsewhere (a log file) it
 * is printed once, when the work is done.
 */
export function beginStep(title: string): Step {
  const start = Date.now();
  const seconds = () => styled("dim", `${((Date.now() - start) / 1000).toFixed(1)} s`);
  if (isTerminal) rewrite(`${styled("cyan", "·")} ${title} …`);
  return {
    tell: (detail) => {
      if (isTerminal) rewrite(`${styled("cyan", "·")} ${title} … ${styled("dim", detail)}`);
    },
    done: (outcome) => {
      rewrite("");
      open = null;
      console.log(`${styled("green", "✓")} ${outcome} ${seconds()}`);
    },
  };
}

/** Prints lines without breaking the line of progress that may be open. */
export function say(text: string): void {
  const line = open;
  rewrite("");
  console.log(text);
  open = null;
  if (line) rewrite(line);
}

/** Prints the last word: what is under way tells nothing more. */
export function sayLast(text: string): void {
  rewrite("");
  console.log(text);
  isOver = true;
}

function rewrite(line: string): void {
  if (isOver) return;
  if (isTerminal && (open !== null || line !== "")) process.stdout.write(`\r\u001b[K${line}`);
  open = line === "" ? null : line;
}
