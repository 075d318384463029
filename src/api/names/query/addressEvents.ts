import { createHash } from "node:crypto";
import { sql } from "ponder";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { withQuickRows } from "../../server/postgres/quickRows.ts";
import type { EventSource, Reading } from "./eventSources.ts";
import { countOfEvents, type EventList, type ListedEvent, pageOfEvents } from "./eventStatements.ts";
import { afterValues, asPlaceholder, type Position } from "./keyset.ts";
import { MAX_COUNTED, offsetOf, type Part, preparedLimitOf } from "./page.ts";
import { sqlOf } from "./scope.ts";

/*
 * The events of an address join a dozen places of logs. To compose such a statement takes as long as an answer may, and to plan it
 * takes several times as long as to run it. Indexes find every row, whatever the address is. So the statements are prepared, and
 * PostgreSQL keeps their plans: the planner does not see what differs between two addresses.
 */

type OfAddress = Extract<EventSource, { kind: "address" | "party" | "names" }>;
type Found = ListedEvent & { position: Position };

/** A list whose statements are prepared. */
type PreparedList = { page: () => Promise<Found[]>; count: () => Promise<number> };

/**
 * The list of an address without filters.
 *
 * @param reading what all such lists of the source read
 * @returns null for other sources, and for pages by a number after the first one
 */
export function preparedList(
  db: Db,
  list: EventList & { part: Part },
  reading: Reading,
): PreparedList | null {
  const { source, part } = list;
  if (!isOfAddress(source) || offsetOf(part) > 0) return null;
  const values = { ...valuesOf(source), ...afterValues(part.after) };
  const limit = preparedLimitOf(part);
  const isAfter = part.after !== undefined;
  const general = { ...list, source: generalOf(source) };
  const of = keyOf(general);
  const page = () =>
    statement(db, `page ${list.direction} ${limit} ${isAfter} ${of}`, (title) =>
      withQuickRows(
        pageOfEvents(
          db,
          general,
          { ...reading, ...(isAfter && { after: asPlaceholder }) },
          { limit, offset: 0 },
        ).prepare(title),
      ),
    ).execute(values) as Promise<Found[]>;
  const count = async () => {
    const rows = (await statement(db, `count ${of}`, (title) =>
      db
        .select({ total: sql<number>`counted.total` })
        .from(sql`(${countOfEvents(general.source, reading, MAX_COUNTED)}) as counted`)
        .prepare(title),
    ).execute(values)) as { total: number }[];
    return rows[0]?.total ?? 0;
  };
  return { page, count };
}

const isOfAddress = (source: EventSource): source is OfAddress =>
  source.kind === "address" ||
  source.kind === "party" ||
  (source.kind === "names" && source.names.of === "address");

const address = sql.placeholder("address");

/** The source of every address. */
function generalOf(source: OfAddress): OfAddress {
  if (source.kind === "party") return { ...source, address };
  const { names } = source;
  if (names.of !== "address") return source;
  const reverse = { ...names.reverse, nodes: sql.placeholder("reverse") };
  return {
    ...source,
    names: { of: "address", address, reverse },
    ...(source.kind === "address" && { address }),
  } as OfAddress;
}

/** What the source of one address has in the places of the general one. */
function valuesOf(source: OfAddress): Record<string, unknown> {
  if (source.kind === "party") return { address: source.address };
  const { names } = source;
  return names.of === "address" ? { address: names.address, reverse: names.reverse.nodes } : {};
}

/** What the text of a statement follows from. */
const keyOf = ({ source, listed }: EventList & { source: OfAddress }): string =>
  JSON.stringify([
    source.kind,
    source.chains.ids,
    sqlOf(source.chains).title(""),
    listed,
    ...(source.kind !== "party" && source.names.of === "address" ? source.names.reverse.chainIds : []),
  ]);

type Statement = { execute: (values: Record<string, unknown>) => Promise<unknown> };

const statements = prepared(() => new Map<string, Statement>());

function statement(db: Db, key: string, prepare: (title: string) => Statement): Statement {
  const known = statements(db).get(key);
  if (known !== undefined) return known;
  const made = prepare(`address_events_${createHash("sha256").update(key).digest("base64url").slice(0, 32)}`);
  statements(db).set(key, made);
  return made;
}
