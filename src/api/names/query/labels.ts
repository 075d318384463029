import { domain, label } from "ponder:schema";
import type { SQLWrapper } from "drizzle-orm";
import { and, isNotNull, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type Scope, type ScopeSql, statementOf } from "./scope.ts";

type LabelsOf = { chains: Scope; hashes: readonly Hex[] };

/** Label texts by hash, as logged on any of these chains. */
export async function listTexts(db: Db, { chains, hashes }: LabelsOf): Promise<Map<Hex, string>> {
  const rows = await knownLabels(db, chains, { hashes });
  return new Map(rows.flatMap(({ hash, text }) => (text === null ? [] : [[hash, text] as const])));
}

/** Sources of label texts by hash. A log of any of these chains takes precedence over other sources. */
export async function listSources(db: Db, { chains, hashes }: LabelsOf): Promise<Map<Hex, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await knownLabels(db, chains, { hashes });
  const stored = rows.flatMap(({ hash, source }) => (source === null ? [] : [[hash, source] as const]));
  return new Map(stored.sort(([, a], [, b]) => Number(a === "event") - Number(b === "event")));
}

/** Matches labels that have one of these hashes and a known text. */
const isKnown = (of: ScopeSql, hashes: SQLWrapper) =>
  and(of.holds(label.chainId), sql`${label.labelhash} = ${hashes}`, isNotNull(label.label));

/** The source of the label text in a row of `domains`, for a statement on the rows of one chain. */
export const labelSourceOfRow = (of: ScopeSql) =>
  sql<string | null>`(select ${label.source} from ${label} where ${isKnown(of, domain.labelhash)})`;

const knownLabels = statementOf((of, db) =>
  db
    .select({ hash: label.labelhash, text: label.label, source: label.source })
    .from(label)
    .where(isKnown(of, sql`any(${sql.placeholder("hashes")}::text[])`))
    .prepare(of.title("known_labels")),
);
