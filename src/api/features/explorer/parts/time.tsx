const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** The smallest count at which a unit is precise enough, and its name. */
const units: readonly [seconds: number, from: number, name: string][] = [
  [365 * DAY, 1.5, "year"],
  [30 * DAY, 3, "month"],
  [DAY, 1.5, "day"],
  [HOUR, 1.5, "hour"],
  [MINUTE, 1.5, "minute"],
  [1, 0, "second"],
];

/** Years below ten have a decimal: rounding would be wrong by months. */
const roundedYears = (years: number): number =>
  years < 10 ? Math.round(years * 10) / 10 : Math.round(years);

/** The last second that a date of JavaScript has. On chain an expiry can be far beyond it. */
const LAST_SECOND = 8_640_000_000_000;

const isDate = (seconds: number): boolean => seconds >= 0 && seconds <= LAST_SECOND;

/** A duration in its largest precise unit: `2.7 years`, `75 days`. */
export function inUnits(seconds: number): string {
  const [size, , name] = units.find(([size, from]) => seconds >= size * from) ?? [1, 0, "second"];
  const count = name === "year" ? roundedYears(seconds / size) : Math.round(seconds / size);
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
    : "beyond any calendar";

/** `2026-11-22`. */
export const dayOf = (seconds: number): string =>
  isDate(seconds) ? (new Date(seconds * 1_000).toISOString().split("T")[0] ?? "") : "beyond any calendar";

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
