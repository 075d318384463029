import { writePlainly } from "./foreignText.ts";

/** Where a long step is. */
export type Progress = {
  /** So much more of the whole is done. */
  add: (amount: number) => void;
  /** Shows the last state, and ends the line. */
  end: () => void;
  /** The same for a step whose total was only an estimate: it is complete, whatever the count. */
  finish: () => void;
};

/** Where progress is shown: a terminal, whose line is written again, or a log, which gets a line now and then. */
export type Screen = { isTTY?: boolean; write: (text: string) => unknown };

const TERMINAL_PAUSE_MS = 200;
const LOG_PAUSE_MS = 10_000;

/**
 * Shows how far a step is, how fast it goes, and how long it will take at that speed.
 *
 * @param show writes an amount, for example "1.2 GB"
 * @example
 * const progress = startProgress(process.stderr, { title: "Loading", whole: 5_000, show: (rows) => `${rows} rows` });
 */
export function startProgress(
  screen: Screen,
  { title, whole, show }: { title: string; whole: number; show: (amount: number) => string },
): Progress {
  const started = performance.now();
  let done = 0;
  let shown = started;
  const line = (of = whole) =>
    describeProgress({ title, whole: of, done, seconds: (performance.now() - started) / 1_000, show });
  const end = (of?: number) => writePlainly(screen, `${screen.isTTY ? "\r\x1b[K" : ""}${line(of)}\n`);
  return {
    add: (amount) => {
      done += amount;
      const now = performance.now();
      if (now - shown < (screen.isTTY ? TERMINAL_PAUSE_MS : LOG_PAUSE_MS)) return;
      shown = now;
      writePlainly(screen, screen.isTTY ? `\r\x1b[K${line()}` : `${line()}\n`);
    },
    end: () => end(),
    finish: () => end(done),
  };
}

/** The line itself. */
export function describeProgress(state: {
  title: string;
  whole: number;
  done: number;
  seconds: number;
  show: (amount: number) => string;
}): string {
  const { title, whole, done, seconds, show } = state;
  const part = whole === 0 ? 1 : Math.min(done / whole, 1);
  const rate = done / Math.max(seconds, 0.001);
  const amounts = `${show(done)} of ${show(Math.max(whole, done))}`;
  if (part === 1) return `${title}: ${show(done)} in ${describeSeconds(seconds)}, ${show(rate)}/s`;
  const left = rate === 0 ? "" : `, ${describeSeconds((whole - done) / rate)} left`;
  return `${title}: ${Math.floor(part * 100)}%, ${amounts}, ${show(rate)}/s${left}`;
}

function describeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A number of bytes for people. */
export function describeBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const amount = bytes / 1_000 ** at;
  return `${at === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[at]}`;
}
