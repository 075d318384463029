import * as hooks from "../../src/api/features/webhooks/bounds.ts";
import { LEFT_ALONE_MS, SILENT_ATTEMPTS } from "../../src/api/features/webhooks/hosts.ts";
import { MAX_RETRY_AFTER, WAITS } from "../../src/api/features/webhooks/schedule.ts";
import { DRAIN_MS } from "../../src/api/server/outgoing/outgoing.ts";
import { INVALID, number, RATE_LIMITED, type Section, seconds, TOO_MUCH } from "../docs/limitRows.ts";

/** Its rows of the limit tables in docs/security.md. */
export const limits: Section = [
  "Webhooks",
  [
    ["Webhooks per key, and in all", `${hooks.MAX_OF_KEY}, and ${number(hooks.MAX_WEBHOOKS)}`, TOO_MUCH],
    [
      "URL",
      `${number(hooks.MAX_URL)} characters; https, ports ${hooks.PORTS.join(" and ")}, public addresses`,
      INVALID,
    ],
    ["Test deliveries", `One per ${hooks.TEST_SECONDS} s`, RATE_LIMITED],
    [
      "Waiting deliveries per key",
      `${number(hooks.MAX_WAITING)}, and no more than its credits`,
      "Dropped and counted; a message says so.",
    ],
    ["Changes in one replay", number(hooks.MAX_REPLAYED), "The response has the position to continue from."],
    ["Deliveries in one response", hooks.MAX_DELIVERIES, INVALID],
    [
      "Delivery log",
      `${hooks.DELIVERY_DAYS} days; waiting deliveries ${hooks.EVENT_DAYS} days`,
      "Removed; a message lists what was dropped.",
    ],
    [
      "One attempt",
      `${seconds(hooks.TIMEOUT_MS)}, ${number(hooks.MAX_ANSWER)} bytes of the response, ${seconds(DRAIN_MS)} to read them`,
      "Retried; the rest of the response is ignored.",
    ],
    [
      "Retries",
      `Three days, ${(WAITS.at(-1) ?? 0) / 3_600} h apart at most; \`Retry-After\` up to ${MAX_RETRY_AFTER / 3_600} h`,
      "The webhook is disabled.",
    ],
    [
      "Attempts at a time, per process",
      `${hooks.AT_ONCE.all}; ${hooks.AT_ONCE.key} per key, ${hooks.AT_ONCE.host} per host, ${hooks.AT_ONCE.failing} to failing receivers; one per webhook over all processes`,
      `Wait; a turn has ${hooks.TURN.deliveries} deliveries or ${seconds(hooks.TURN.ms)}.`,
    ],
    [
      "Unreachable host",
      `${SILENT_ATTEMPTS} failed attempts in a row, of any webhook`,
      `Not tried for ${seconds(LEFT_ALONE_MS)}.`,
    ],
    [
      "Changes matched at once",
      `${hooks.PAGE}, and ${number(hooks.MAX_MATCHES)} deliveries`,
      "In the next batch.",
    ],
    ["Webhooks of one name whose values are read at once", hooks.NAMES_AT_ONCE, "A second later."],
  ],
];
