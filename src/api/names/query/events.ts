import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type EventRow, eventKeys, isEventOfRow, keyColumns, shownOfEvent } from "./eventRows.ts";
import { type ChainResolver, logsOfNames } from "./eventsOfNames.ts";
import {
  inForms,
  type ListForm,
  oldestFirst,
  orderOfPage,
  pageColumns,
  pageOf,
  type Section,
  sliceOf,
} from "./list.ts";
import type { Page } from "./page.ts";
import { type Scope, statementOf } from "./scope.ts";

/** Events that count for a name ({@link logsOfNames}), oldest first. */
export const listEvents = (
  db: Db,
  { node, chains, listed }: { node: Hex; chains: Scope; listed: readonly ChainResolver[] },
  section: Section,
): Promise<Page<EventRow>> =>
  oldestFirst(section, (form, values) =>
    eventsOfNode(form)(db, chains, {
      node,
      ...values,
      listedResolvers: listed.map(({ address }) => address),
      listedChains: listed.map(({ chainId }) => chainId),
    }),
  );

const { placeholder } = sql;

/** The contract family that anyone can join. */
const RESOLVER = sql.raw("'RESOLVER'");

/**
 * The logs of a node from contracts other than resolvers, as a subquery: two ranges of one index. It reads no logs that
 * strangers' contracts emit for the node, however many there are.
 */
export const logsOfContracts = (columns: SQL, condition: SQL = sql`true`): SQL => {
  const range = (comparison: SQL) =>
    sql`select ${columns} from ${event} where ${eq(event.node, placeholder("node"))}
      and ${event.contract} ${comparison} ${RESOLVER} and ${condition}`;
  return sql`${range(sql`<`)} union all ${range(sql`>`)}`;
};

const eventsOfNode = inForms(preparedEvents);

/** With several chains, a node has the events of the chains on which it is a name. */
function preparedEvents(form: ListForm, name: string) {
  return statementOf((of, db) => {
    const logs = logsOfNames({
      columns: keyColumns,
      names: sql`select unnest(${placeholder("chainIds")}::int[]) as chain_id, ${placeholder("node")}::text as node`,
      listed: {
        chains: sql`${placeholder("listedChains")}::int[]`,
        resolvers: sql`${placeholder("listedResolvers")}::text[]`,
      },
    });
    const keys = eventKeys("listed", form.direction);
    const page = pageOf(logs, keys, sliceOf(keys, form));
    return db
      .select({ ...shownOfEvent, ...pageColumns })
      .from(event)
      .innerJoin(page, isEventOfRow)
      .orderBy(orderOfPage)
      .prepare(of.title(`events_of_node_${name}`));
  });
}
