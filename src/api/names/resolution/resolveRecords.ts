import type { Ctx } from "../../server/http/context.ts";
import type { ParsedName } from "../schemas/input.ts";
import type { RecordsAsked } from "../schemas/recordChoice.ts";
import { type RecordsKey, recordsOf } from "./ensv2/ensv2Records.ts";
import { completeRecords, type NameRecords, readRecords } from "./indexedRecords.ts";
import { selectorOf } from "./recordSelection.ts";
import { type DomainResult, resolveNames } from "./resolveDomains.ts";

/** Where the index keeps the records of a name; null if the name certainly has none. */
export const recordsKeyOf = ({ state }: DomainResult): RecordsKey | null => state && recordsOf(state);

/** The records of a name, from the index where it has them, otherwise from the chain. */
export async function resolveRecords(ctx: Ctx, name: ParsedName, asked: RecordsAsked): Promise<NameRecords> {
  const select = selectorOf(ctx, asked);
  const [result] = await resolveNames(ctx, [name], { records: select });
  const isFromIndex = result.source === "indexed" && result.kind !== "unresolved";
  const indexed = isFromIndex
    ? await readRecords(ctx, { node: name.node, key: recordsKeyOf(result) }, asked)
    : null;
  const [found] = await completeRecords(ctx, { names: [name], parts: [{ result, indexed }], asked, select });
  return found as NameRecords;
}
