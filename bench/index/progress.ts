import type { AppPlan } from "./app.ts";

const EVERY_MS = 30_000;

const english = (value: number) => Math.round(value).toLocaleString("en");

/** Prints now and then how far an app is, how fast it went since the last line, and how long the rest takes at that speed. */
export function tellProgress(
  { schema, events }: Pick<AppPlan, "schema" | "events">,
  countEvents: () => Promise<number>,
  everyMs = EVERY_MS,
): { stop: () => void } {
  let last = { at: performance.now(), done: 0 };
  const timer = setInterval(async () => {
    // It does not answer while it starts.
    const done = await countEvents().catch(() => null);
    if (done === null) return;
    const at = performance.now();
    const speed = ((done - last.done) / (at - last.at)) * 1_000;
    last = { at, done };
    console.log(`${schema}: ${describe({ done, events, speed })}`);
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

type Progress = { done: number; events: number | undefined; speed: number };

function describe({ done, events, speed }: Progress): string {
  if (events === undefined) return `${english(done)} events, ${english(speed)} events/s`;
  if (done >= events) return "all events; indexes and counts are being made";
  const rest = speed > 0 ? `, ${english(Math.ceil((events - done) / speed / 60))} minutes to go` : "";
  return `${english(done)} of ${english(events)} events, ${english(speed)} events/s${rest}`;
}
