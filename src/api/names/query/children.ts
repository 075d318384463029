import { domain } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import { not } from "../../../ens/condition.ts";
import type { Db } from "../../server/postgres/db.ts";
import { toSql } from "../rules/conditionSql.ts";
import { ownerAt } from "../rules/ownershipSql.ts";
import { type DomainPage, domainsWhere, listAndCount, listDomainPage } from "./domainLists.ts";
import type { PageRequest } from "./page.ts";
import { type Scope, sqlOf } from "./scope.ts";
import { hasInLabel } from "./search.ts";

/** Filters on the direct subnames of a node, on some chains, at a time. */
export type ChosenChildren = {
  chains: Scope;
  node: Hex;
  now: number;
  /** Part of the label, case-insensitive. */
  text?: string | undefined;
  /** Leaves out expired names, and names without an owner. */
  without: { expired: boolean; ownerless: boolean };
};

/** True if all direct subnames are requested. These have counters. */
const isEveryChild = ({ text, without }: ChosenChildren): boolean =>
  !text && !without.expired && !without.ownerless;

function conditionOf({ chains, node, now, text, without }: ChosenChildren): SQL | undefined {
  const { holds, rule, life } = sqlOf(chains);
  return and(
    holds(domain.chainId),
    eq(domain.parentNode, node),
    text ? hasInLabel(text) : undefined,
    without.expired ? toSql(rule(not(life.inPhase("premium", "ended", "over"))), now) : undefined,
    without.ownerless ? and(toSql(life.owned), sql`${ownerAt(now)} is not null`) : undefined,
  );
}

/**
 * A page of direct subnames of a node. With a text, an index of labels finds the few matches. Without one, names are read in index
 * order.
 *
 * @param countAll counts all direct subnames
 */
export async function listChildren(
  db: Db,
  page: PageRequest,
  { chosen, countAll }: { chosen: ChosenChildren; countAll: () => Promise<number> },
): Promise<DomainPage> {
  const { chains, now } = chosen;
  const where = conditionOf(chosen);
  if (chosen.text) {
    const { counts, ...listed } = await listAndCount(db, { chains, now, where, page }, {});
    return { total: counts?.total ?? null, ...listed };
  }
  const count = isEveryChild(chosen) ? countAll : () => db.$count(domain, where);
  return listDomainPage(db, { chains, now, page, parts: [domainsWhere(where)], count });
}
