import { label } from "ponder:schema";
import { and, isNotNull, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../postgres/db.ts";
import { type Scope, statementOf } from "./scope.ts";

/** Texts of labels that logs of any of these chains told, by their hash. */
export async function listTexts(
  db: Db,
  { chains, hashes }: { chains: Scope; hashes: readonly Hex[] },
): Promise<Map<Hex, string>> {
  const rows = await textsOfLabels(db, chains, { hashes });
  return new Map(rows.flatMap(({ hash, text }) => (text === null ? [] : [[hash, text] as const])));
}

const textsOfLabels = statementOf((of, db) =>
  db
    .select({ hash: label.labelhash, text: label.label })
    .from(label)
    .where(
      and(
        of.holds(label.chainId),
        sql`${label.labelhash} = any(${sql.placeholder("hashes")}::text[])`,
        isNotNull(label.label),
      ),
    )
    .prepare(of.title("texts_of_labels")),
);
