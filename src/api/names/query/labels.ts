import { domain, label } from "ponder:schema";
import type { SQLWrapper } from "drizzle-orm";
import { and, isNotNull, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { type Scope, type ScopeSql, statementOf } from "./scope.ts";

/** Texts of labels that logs of any of these chains told, by their hash. */
export async function listTexts(
  db: Db,
  { chains, hashes }: { chains: Scope; hashes: readonly Hex[] },
): Promise<Map<Hex, string>> {
  const rows = await textsOfLabels(db, chains, { hashes });
  return new Map(rows.flatMap(({ hash, text }) => (text === null ? [] : [[hash, text] as const])));
}

/** Where the texts of labels are from, by their hash: the log of any of these chains goes before the others. */
export async function listSources(
  db: Db,
  { chains, hashes }: { chains: Scope; hashes: readonly Hex[] },
): Promise<Map<Hex, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await sourcesOfLabels(db, chains, { hashes });
  const stored = rows.flatMap(({ hash, source }) => (source === null ? [] : [[hash, source] as const]));
  return new Map(stored.sort(([, a], [, b]) => Number(a === "event") - Number(b === "event")));
}

/** The text of a label with one of these hashes is known. */
const isKnown = (of: ScopeSql, hashes: SQLWrapper) =>
  and(of.holds(label.chainId), sql`${label.labelhash} = ${hashes}`, isNotNull(label.label));

/** Where the text of the own label of a row of `domains` is from, in a statement of the rows of one chain. */
export const labelSourceOfRow = (of: ScopeSql) =>
  sql<string | null>`(select ${label.source} from ${label} where ${isKnown(of, domain.labelhash)})`;

const sourcesOfLabels = statementOf((of, db) =>
  db
    .select({ hash: label.labelhash, source: label.source })
    .from(label)
    .where(isKnown(of, sql`any(${sql.placeholder("hashes")}::text[])`))
    .prepare(of.title("sources_of_labels")),
);

const textsOfLabels = statementOf((of, db) =>
  db
    .select({ hash: label.labelhash, text: label.label })
    .from(label)
    .where(isKnown(of, sql`any(${sql.placeholder("hashes")}::text[])`))
    .prepare(of.title("texts_of_labels")),
);
