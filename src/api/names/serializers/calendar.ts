import ical, { ICalAlarmType, ICalCalendarMethod, ICalEventTransparency } from "ical-generator";
import type { Hex } from "viem";
import { nameByNode } from "../../../ens/name.ts";
import type { KnownLife } from "../rules/availability.ts";
import type { LifeRules } from "../rules/life.ts";
import { endsOfPhases, type LifeEnd } from "../rules/lifeEnds.ts";
import { type Phase, PREMIUM_DAYS } from "../rules/stages.ts";

/** A name whose ends are shown. */
type Ending = KnownLife & { node: Hex; fullName: string };

/** The name with its ends, as shown in an answer. */
export type Ended = Pick<Ending, "chainId" | "node" | "fullName"> & {
  ends: readonly LifeEnd[];
};

/** The title and sources of a calendar, and the time it is made, in Unix seconds. */
type CalendarPlan = {
  title: string;
  now: number;
  /** URL prefix of a name's page, to which the name is appended; null for no links. */
  namesAt: string | null;
  /** A limitation of the calendar. */
  note?: string;
};

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** How often a calendar program should refresh. Only renewals change ends, and reminders come days before. */
const REFRESH_SECONDS = 6 * HOUR;

/** Reminders, in days before the end. */
const REMINDER_DAYS = [30, 7];

/** iCalendar years have four digits, so ends after 31 December 9999 are left out. */
const LAST_TIME = 253_402_300_799n;

/** iCalendar integers have 31 bits. */
const MAX_INTEGER = 2_147_483_647n;

/**
 * Longest name in the calendar, in UTF-16 characters; longer names are cut. A name occurs six times in an event, and strangers
 * can give an address names of 1,024 bytes, which must not make the calendar larger than an answer may be.
 */
export const MAX_WRITTEN = 64;

type Wording = { kind: string; title: (name: string) => string; text: (ends: readonly LifeEnd[]) => string };

/** The wording of each end, by the phase that ends. `kind` is part of the event's UID. */
const words: Partial<Record<Phase, Wording>> = {
  registered: {
    kind: "expiry",
    title: (name) => `${name} expires`,
    text: textOfExpiry,
  },
  grace: {
    kind: "grace-end",
    title: (name) => `Grace of ${name} ends`,
    text: (ends) =>
      ends.some(({ phase }) => phase === "premium")
        ? `The name can no longer be renewed. From now on anyone can register it, for ${PREMIUM_DAYS} days with a premium on the price.`
        : "The name can no longer be renewed. From now on anyone can register it.",
  },
  premium: {
    kind: "premium-end",
    title: (name) => `Premium of ${name} ends`,
    text: () => "The name can be registered at the usual price, unless it is registered already.",
  },
};

function textOfExpiry(ends: readonly LifeEnd[]): string {
  const [expiry, grace] = (["registered", "grace"] as const).map(
    (phase) => ends.find((end) => end.phase === phase)?.at ?? 0n,
  ) as [bigint, bigint];
  const days = (grace - expiry) / BigInt(DAY);
  if (days <= 0n) return "The registration ends.";
  return `The registration ends. The name can still be renewed by anyone in the ${days} days after it.`;
}

/**
 * The ends of names as an iCalendar (RFC 5545): the expiry of each name, and for .eth names the ends of grace and premium. An
 * event keeps its UID when a renewal moves it; its SEQUENCE, the minute of the expiry, increases.
 */
export const toCalendar = (
  names: readonly Ending[],
  { life, ...plan }: CalendarPlan & { life: LifeRules },
): string =>
  toCalendarOfEnds(
    names.map((name) => ({ ...name, ends: endsOfPhases(name, life) })),
    plan,
  );

/** The calendar of names whose ends are known. */
export function toCalendarOfEnds(names: readonly Ended[], plan: CalendarPlan): string {
  const calendar = ical({
    prodId: { company: "Namedex", product: "Expiries", language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    name: written(plan.title), // The library does not escape this value.
    ttl: REFRESH_SECONDS,
    ...(plan.note !== undefined && { description: plan.note }),
  });
  for (const name of names) {
    for (const { phase, at } of name.ends) {
      const wording = words[phase];
      if (wording && at >= 0n && at <= LAST_TIME) calendar.createEvent(toEvent(name, { at, wording }, plan));
    }
  }
  return `${calendar.toString()}\r\n`;
}

function toEvent(
  { chainId, node, fullName, ends }: Ended,
  { at, wording }: { at: bigint; wording: Wording },
  { now, namesAt }: CalendarPlan,
) {
  const summary = wording.title(written(fullName));
  const sequence = (ends[0]?.at ?? 0n) / 60n;
  return {
    id: `${node}-${wording.kind}@${chainId}.namedex`,
    sequence: Number(sequence > MAX_INTEGER ? MAX_INTEGER : sequence),
    stamp: new Date(now * 1_000),
    start: new Date(Number(at) * 1_000),
    summary,
    description: wording.text(ends),
    transparency: ICalEventTransparency.TRANSPARENT,
    ...(namesAt !== null && { url: `${namesAt}${encodeURIComponent(linked(fullName, node))}` }),
    alarms: REMINDER_DAYS.map((days) => ({
      type: ICalAlarmType.display,
      trigger: days * DAY,
      description: `In ${days} days: ${summary}`,
    })),
  };
}

/** The link of a long name uses its node. */
const linked = (name: string, node: Hex): string => (name.length > MAX_WRITTEN ? nameByNode(node) : name);

/**
 * A name as a calendar program shows it. U+FFFD replaces control characters and line ends, which iCalendar forbids, and marks
 * that reverse the direction of surrounding text: anyone can put them into a name.
 */
function written(name: string): string {
  const visible = name.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    "\ufffd",
  );
  if (visible.length <= MAX_WRITTEN) return visible;
  return `${visible.slice(0, MAX_WRITTEN).toWellFormed()}…`;
}
