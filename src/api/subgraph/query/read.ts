import type { SQL } from "drizzle-orm";
import type { Hex } from "viem";
import { MAX_READ } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { entityOf } from "../table/entities.ts";
import { type Entity, type Env, idOf, NONE, type Relation } from "../table/entity.ts";
import {
  columnOfSelection,
  inPlace,
  isOfSameRow,
  type Key,
  keyOfRaw,
  type Raw,
  rawOfSameRow,
  typeIndexOf,
} from "./columns.ts";
import type { ListArguments } from "./listArguments.ts";
import { isReadByRanges, readByRanges } from "./logsById.ts";
import {
  listAt,
  type Past,
  requireBelowUnchanged,
  requireKeysUnchanged,
  requireListUnchanged,
} from "./past.ts";
import type { EntityPlan, Selection } from "./plan.ts";
import { written } from "./scalars.ts";
import { belowStatement, keysStatement, listStatement, oneStatement } from "./statement.ts";

/** An entity as it is answered. */
export type Answer = Record<string, unknown>;

/** Runs the statements of one query. */
export type Reader = {
  env: Env;
  /** The block that the answer is of; null for the newest. */
  past: Past | null;
  rows: (statement: SQL) => Promise<Raw[]>;
  /** How many names right below nodes count. */
  countSubdomains: (nodes: readonly Hex[]) => Promise<ReadonlyMap<Hex, number>>;
};

/** A reader that stops where a query has read more than it may. @throws QueryError */
export function boundedReader(reader: Reader): Reader {
  let read = 0;
  return {
    ...reader,
    rows: async (statement) => {
      const rows = await reader.rows(statement);
      read += rows.length;
      if (read > MAX_READ)
        throw new QueryError(`The answer has more than ${MAX_READ} entities: ask for fewer of them at once`);
      return rows;
    },
  };
}

/** A list of entities. */
export async function readList(reader: Reader, plan: EntityPlan, list: ListArguments): Promise<Answer[]> {
  return answersOf(reader, plan, await readRows(reader, plan, list));
}

async function readRows(reader: Reader, plan: EntityPlan, list: ListArguments): Promise<Raw[]> {
  await requireListUnchanged(reader, plan, list);
  const then = listAt(list, reader.past);
  const byRanges = isReadByRanges(plan, then) ? await readByRanges(reader, plan, then) : null;
  return byRanges ?? inPlace(await reader.rows(listStatement(plan, then, reader.env)));
}

/** The entity of an id; null if there is none. */
export async function readOne(reader: Reader, plan: EntityPlan, id: string | null): Promise<Answer | null> {
  if (id === null) return null;
  const key = plan.entity.key.read(id);
  const statement = key && oneStatement(plan, key, reader.env);
  if (statement !== null && reader.past === null)
    return (await answersOf(reader, plan, await reader.rows(statement)))[0] ?? null;
  return (await readList(reader, plan, listOfOne(plan.entity, id)))[0] ?? null;
}

/** A list of the entity with an id. */
const listOfOne = (entity: Entity, id: string): ListArguments => ({
  ...{ first: 1, skip: 0, order: null, direction: "asc" },
  filter: { kind: "field", field: idOf(entity), suffix: "", values: [id] },
});

const textOf = (key: Key): string => key.join(" ");

/** The entities of keys, each once. A bare entity is what its key says. */
async function readKeys(
  reader: Reader,
  plan: EntityPlan,
  { field, keys }: { field: Relation; keys: readonly Key[] },
): Promise<Map<string, Answer>> {
  const different = [...new Map(keys.map((key) => [textOf(key), key])).values()];
  if (different.length === 0) return new Map();
  await requireKeysUnchanged(reader, plan, { field, keys: different });
  const raws = plan.entity.isBare
    ? different.map((key) => bareRow(plan, key))
    : await reader.rows(keysStatement(plan, different, reader.env));
  const answers = await answersOf(reader, plan, raws);
  const positions = plan.entity.isBare ? different : raws.map(({ n }) => different[Number(n) - 1] as Key);
  return new Map(answers.map((answer, i) => [textOf(positions[i] as Key), answer]));
}

/** A row of an entity that has nothing but its key. */
const bareRow = ({ types: [only] }: EntityPlan, key: Key): Raw => ({
  k0: key[0],
  ...Object.fromEntries((only?.selections ?? []).map((_, s) => [columnOfSelection(0, s), key[0]])),
});

/** The answers of rows, in their order. */
async function answersOf(reader: Reader, plan: EntityPlan, raws: readonly Raw[]): Promise<Answer[]> {
  const answers: Answer[] = raws.map(() => ({}));
  const indexes = raws.map((raw) => typeIndexOf(plan, raw));
  for (const [t, { type, selections }] of plan.types.entries()) {
    const own = raws.flatMap((raw, i) => (indexes[i] === t ? [{ raw, answer: answers[i] as Answer }] : []));
    if (own.length === 0) continue;
    // The fields keep the order of the query, whichever is read first.
    for (const { answer } of own) for (const { key } of selections) answer[key] = null;
    await Promise.all(
      selections.map((one, s) =>
        fill(reader, { type, rows: own, one, column: (part) => columnOfSelection(t, s, part) }),
      ),
    );
  }
  return answers;
}

type Filling<Kind extends Selection["kind"] = Selection["kind"]> = {
  type: Entity;
  rows: readonly { raw: Raw; answer: Answer }[];
  one: Extract<Selection, { kind: Kind }>;
  column: (part?: number) => string;
};

async function fill(reader: Reader, { one, ...rows }: Filling): Promise<void> {
  if (one.kind === "scalar") return fillScalar(reader, { one, ...rows });
  if (one.kind === "relation") return fillRelation(reader, { one, ...rows });
  if (one.kind === "derived")
    return (isOfSameRow(rows.type, one) ? fillOfSameRow : fillDerived)(reader, { one, ...rows });
  for (const { answer } of rows.rows) answer[one.key] = rows.type.name;
}

async function fillScalar(reader: Reader, { type, rows, one, column }: Filling<"scalar">): Promise<void> {
  const { field, key } = one;
  if (field.count === undefined) {
    for (const { raw, answer } of rows) answer[key] = written(field, raw[column()]);
    return;
  }
  const nodes = rows.map(({ raw }) => keyOfRaw(type, raw)[0] as Hex);
  const counts = await reader.countSubdomains(nodes);
  for (const [i, { answer }] of rows.entries()) answer[key] = counts.get(nodes[i] as Hex) ?? 0;
}

async function fillRelation(reader: Reader, { rows, one, column }: Filling<"relation">): Promise<void> {
  const { of, field, key, name } = one;
  const parts = of.entity.key.types.map((_, part) => column(part));
  const keys = rows.map(({ raw }) =>
    raw[parts[0] as string] === null ? null : parts.map((part) => raw[part] as string),
  );
  const found = await readKeys(reader, of, { field, keys: keys.filter((one) => one !== null) });
  for (const [i, { answer }] of rows.entries()) {
    const own = keys[i];
    answer[key] = own ? (found.get(textOf(own)) ?? null) : null;
    if (answer[key] === null && field.isRequired)
      throw new QueryError(`Null value resolved for non-null field \`${name}\``);
  }
}

async function fillOfSameRow(reader: Reader, { rows, one, column }: Filling<"derived">): Promise<void> {
  const found = rows.flatMap(({ raw, answer }) => {
    const own = rawOfSameRow(raw, column());
    return own === undefined ? [] : [{ raw: own, answer }];
  });
  const answers = await answersOf(
    reader,
    one.of,
    found.map(({ raw }) => raw),
  );
  for (const [i, { answer }] of found.entries()) answer[one.key] = answers[i] ?? null;
}

async function fillDerived(reader: Reader, { type, rows, one }: Filling<"derived">): Promise<void> {
  const { field, list, of, key } = one;
  const keys = rows.map(({ raw }) => keyOfRaw(type, raw));
  const via = entityOf(field.type).fields[field.via] as Relation;
  const below = new Map<string, Answer[]>();
  for (const isNone of [false, true]) {
    const own = keys.filter((one) => (one[0] === NONE) === isNone);
    const different = [...new Map(own.map((one) => [textOf(one), one])).values()];
    if (different.length === 0) continue;
    await requireBelowUnchanged(reader, of, { list, via, parent: type, keys: different });
    const asked = { list: listAt(list, reader.past), via, parent: type, keys: different, isNone };
    const raws = await reader.rows(belowStatement(of, asked, reader.env));
    const answers = await answersOf(reader, of, raws);
    for (const [i, raw] of raws.entries()) {
      const parent = textOf(different[Number(raw.n) - 1] as Key);
      const list = below.get(parent) ?? [];
      list.push(answers[i] as Answer);
      below.set(parent, list);
    }
  }
  for (const [i, { answer }] of rows.entries()) {
    const found = below.get(textOf(keys[i] as Key)) ?? [];
    answer[key] = field.isList ? found : (found[0] ?? null);
  }
}
