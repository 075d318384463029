/** How often a terminal is written to, and a file or a supervisor's log. */
const TERMINAL_MS = 200;
const LOG_MS = 10_000;
const BAR_LENGTH = 30;

/**
 * Shows how far a long step is: on a terminal one line that is written over, elsewhere a line now and then. Goes to
 * standard error, so that results can be piped.
 *
 * @example
 * const show = progressLine(process.stderr, "values");
 * show(100, 2_000);
 */
export function progressLine(stream: NodeJS.WriteStream, what: string) {
  const started = performance.now();
  let shownAt = Number.NEGATIVE_INFINITY;
  return (done: number, all: number): void => {
    const now = performance.now();
    const isEnd = done >= all;
    if (!isEnd && now - shownAt < (stream.isTTY ? TERMINAL_MS : LOG_MS)) return;
    shownAt = now;
    const line = lineOf({ done, all, what, seconds: (now - started) / 1_000 });
    stream.write(stream.isTTY ? `\r${line}\u001b[K${isEnd ? "\n" : ""}` : `${line}\n`);
  };
}

type Progress = { done: number; all: number; what: string; seconds: number };

function lineOf({ done, all, what, seconds }: Progress): string {
  const part = all === 0 ? 1 : done / all;
  const filled = Math.round(part * BAR_LENGTH);
  const bar = `[${"#".repeat(filled)}${".".repeat(BAR_LENGTH - filled)}]`;
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `, ${Math.ceil((all - done) / rate)} s left` : "";
  return `${bar} ${Math.floor(part * 100)} % of ${all} ${what}, ${Math.round(rate)}/s${done < all ? left : ""}`;
}
