import { z } from "@hono/zod-openapi";
import { endpoint } from "../../server/http/endpoint.ts";
import { listEnding, MAX_ENDING } from "../query/addresses/ending.ts";
import { decide } from "../resolution/decision.ts";
import { checkListed } from "../resolution/listedNames.ts";
import { type NameFacts, readFacts } from "../resolution/nameFacts.ts";
import { lifeOf } from "../rules/life.ts";
import { GRACE_DAYS, PREMIUM_DAYS } from "../rules/stages.ts";
import { input } from "../schemas/input.ts";
import { toCalendar } from "../serializers/calendar.ts";
import { toAddress } from "../serializers/hex.ts";
import { addressAt } from "./askedAddress.ts";

const ICALENDAR = "text/calendar";

const EVENTS = `iCalendar (RFC 5545), for subscriptions. Each name that ends has an event at its expiry, and a .eth name two more: the end of its grace, ${GRACE_DAYS} days later (ENSv2: 28), and of its premium, ${PREMIUM_DAYS} days after that. Names of a layer 2 have the events of their registrar: all three on Basenames, no premium on Lineanames. Each event has reminders 30 and 7 days before. A renewal moves the events: their UIDs stay, and SEQUENCE grows. Dates after the year 9999 are left out.`;

const calendar = z.string().openapi("Calendar", {
  description: "Names are cut after 64 characters; control characters become U+FFFD.",
});

const EXAMPLE = `BEGIN:VCALENDAR
VERSION:2.0
METHOD:PUBLISH
NAME:alice.eth
BEGIN:VEVENT
UID:0x787192fc5378cc32aa956ddfdedbf26b24e8d78e40109add0eea2c1a012c3dec-expiry@1.namedex
SEQUENCE:30000000
DTSTART:20270115T080000Z
SUMMARY:alice.eth expires
END:VEVENT
END:VCALENDAR
`;

/** Calendars are never resolved live, because programs fetch them every few hours. */
const ONLY_CHAIN =
  "Only the chain can tell whether and when this name expires. It was not asked, so this calendar lacks the expiry.";

const domainExpiry = endpoint({
  method: "get",
  path: "/domain/{name}/expiry.ics",
  group: "Domains",
  summary: "Expiry calendar of a name",
  description: `${EVENTS} The calendar is empty for a name without expiry, for a wrapped subname without PARENT_CANNOT_CONTROL, which keeps its owner, and for a name whose registry the index cannot read; the last one says so.`,
  params: z.object({ name: input.name() }),
  reply: calendar,
  mediaType: ICALENDAR,
  example: EXAMPLE,
  errors: ["INVALID_NAME"],
  cost: 1,
  handle: async ({ name }, ctx) => {
    const { contracts, now, namesAt } = ctx;
    const [facts] = (await readFacts(ctx, [name])) as [NameFacts];
    const isForChain = decide(facts, contracts).kind === "chain";
    const { indexed } = facts;
    const names = indexed?.isInRegistry ? [{ ...indexed.state, fullName: name.name }] : [];
    return toCalendar(names, {
      title: name.name,
      life: lifeOf(contracts.ensv2),
      now,
      namesAt,
      ...(isForChain && { note: ONLY_CHAIN }),
    });
  },
});

const addressExpiries = endpoint({
  method: "get",
  path: "/address/{address}/expiries.ics",
  group: "Addresses",
  summary: "Expiry calendar of an address's names",
  description: `${EVENTS} Contains the names that the address effectively owns, until their last event; at most ${MAX_ENDING}, registrar names before others, and the earliest expiries of each.`,
  params: z.object({ address: input.address() }),
  reply: calendar,
  mediaType: ICALENDAR,
  example: EXAMPLE,
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  handle: async ({ address }, ctx) => {
    const { db, contracts, now, namesAt } = ctx;
    const list = await listEnding(db, addressAt(ctx, { address }));
    const names = [...(await checkListed(ctx, [list])).values()];
    const title = `ENS names of ${toAddress(address)}`;
    return toCalendar(names, {
      title,
      life: lifeOf(contracts.ensv2),
      now,
      namesAt,
    });
  },
});

export const calendarEndpoints = [domainExpiry, addressExpiries];
