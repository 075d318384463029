const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const units: readonly [seconds: number, name: string][] = [
  [365 * DAY, "year"],
  [30 * DAY, "month"],
  [DAY, "day"],
  [HOUR, "hour"],
  [MINUTE, "minute"],
  [1, "second"],
];

/** The last second that a date of JavaScript has. On chain an expiry can be far beyond it. */
const LAST_SECOND = 8_640_000_000_000;

const isDate = (seconds: number): boolean => seconds >= 0 && seconds <= LAST_SECOND;

/** A duration in its largest unit: `3 months`. */
export function inUnits(seconds: number): string {
  const [size, name] = units.find(([size]) => seconds >= size * 1.5) ?? [1, "second"];
  const count = Math.round(seconds / size);
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

/** How far a time is from now: `in 3 months`, `2 days ago`. */
export function fromNow(seconds: number, now: number): string {
  const distance = Math.abs(seconds - now);
  if (distance < 1) return "now";
  return seconds > now ? `in ${inUnits(distance)}` : `${inUnits(distance)} ago`;
}

/** `2026-11-22 14:05 UTC`. */
export const inUtc = (seconds: number): string =>
  isDate(seconds)
    ? `${new Date(seconds * 1_000).toISOString().replace(/^\+/, "").slice(0, -8).replace("T", " ")} UTC`
    : "beyond all calendars";

/** `2026-11-22`. */
export const dayOf = (seconds: number): string =>
  isDate(seconds) ? (new Date(seconds * 1_000).toISOString().split("T")[0] ?? "") : "beyond all calendars";

type Props = {
  at: number /** Told beside it, if given: how far it is from this second. */;
  now?: number;
  day?: true;
};

/** A time, in UTC. */
export const Time = ({ at, now, day }: Props) => {
  const text = day ? dayOf(at) : inUtc(at);
  return (
    <>
      {isDate(at) ? <time datetime={new Date(at * 1_000).toISOString()}>{text}</time> : text}
      {now !== undefined && isDate(at) && <span class="faint">{` ${fromNow(at, now)}`}</span>}
    </>
  );
};
