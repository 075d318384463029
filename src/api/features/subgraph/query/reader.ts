import type { SQL } from "drizzle-orm";
import type { Hex } from "viem";
import { MAX_READ } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { entityOf } from "../table/entities.ts";
import { type Entity, type Env, idOf, NONE, type Relation, type ScalarField } from "../table/entity.ts";
import { isFoundByPart, readSoonFull } from "./byPart.ts";
import { columnOfSelection, type Key, keyOfRaw, type Raw, typeIndexOf } from "./columns.ts";
import type { Filter } from "./filter.ts";
import { byFirstLabels } from "./firstLabels.ts";
import { heldStatement } from "./heldNames.ts";
import type { ListArguments } from "./listArguments.ts";
import { isReadByRanges, readByRanges } from "./logsById.ts";
import { isNarrow } from "./narrow.ts";
import { whole } from "./order.ts";
import {
  listAt,
  type Past,
  requireBelowUnchanged,
  requireKeysUnchanged,
  requireListUnchanged,
} from "./past.ts";
import type { EntityPlan, Selection } from "./plan.ts";
import { answerSize } from "./size.ts";
import { belowStatement, keysStatement, listStatement, oneStatement } from "./statement.ts";

/** An entity as it is answered. */
export type Answer = Record<string, unknown>;

type Rows = (statement: SQL) => Promise<Raw[]>;

/** Runs the statements of one query. */
export type Reader = {
  env: Env;
  /** The block of the answer; null for the newest. */
  past: Past | null;
  rows: Rows;
  /** How many names right below nodes count. */
  countSubdomains: (nodes: readonly Hex[]) => Promise<ReadonlyMap<Hex, number>>;
  /** Counts a value that is in the answer at one place at least. @throws ApiError RESPONSE_TOO_LARGE */
  addToSize: (value: unknown) => void;
};

/** A reader that stops where a query has read more than it may. @throws QueryError */
export function boundedReader(reader: Omit<Reader, "addToSize">): Reader {
  let read = 0;
  const addToSize = answerSize();
  const rows: Rows = async (statement) => {
    addToSize(""); // Nothing more is read for an answer that is too large already.
    const found = await reader.rows(statement);
    read += found.length;
    if (read > MAX_READ)
      throw new QueryError(`The answer has more than ${MAX_READ} entities: request fewer at once`);
    return found;
  };
  return { ...reader, rows, addToSize };
}

/** A list of entities. */
export async function readList(reader: Reader, plan: EntityPlan, list: ListArguments): Promise<Answer[]> {
  return answersOf(reader, plan, await readRows(reader, plan, list));
}

async function readRows(reader: Reader, plan: EntityPlan, list: ListArguments): Promise<Raw[]> {
  await requireListUnchanged(reader, plan, list);
  const then = byFirstLabels(listAt(list, reader.past), plan.entity);
  const byRanges = isReadByRanges(plan, then) ? await readByRanges(reader, plan, then) : null;
  if (byRanges !== null) return byRanges;
  const env = envOfList(reader.env, plan.entity, then);
  const page = await readSoonFull({ ...reader, env }, plan, then);
  if (page !== null) return page;
  const held = env.hidesValues ? heldStatement(plan, then, env) : undefined;
  return reader.rows(held ?? listStatement(plan, then, env));
}

/** The entity of an id, or null. */
export async function readOne(reader: Reader, plan: EntityPlan, id: string | null): Promise<Answer | null> {
  if (id === null) return null;
  const key = plan.entity.key.read(id);
  if (key === null) return null;
  // Of events two ids can stand for one key, and of a past block it is shown first that nothing changed.
  const isByKey = reader.past === null && !plan.entity.isLog;
  if (!isByKey) return (await readList(reader, plan, listOfOne(plan.entity, id)))[0] ?? null;
  const statement = oneStatement(plan, key, reader.env);
  return (await answersOf(reader, plan, await reader.rows(statement)))[0] ?? null;
}

/** A list of the entity with an id. */
const listOfOne = (entity: Entity, id: string): ListArguments => ({
  first: 1,
  skip: 0,
  order: null,
  direction: "asc",
  filter: { kind: "field", field: idOf(entity), suffix: "", values: [id] },
});

const textOf = (key: Key): string => key.join(" ");

/** The entities of keys, each once. A bare entity is what its key says. */
async function readKeys(
  reader: Reader,
  plan: EntityPlan,
  { field, keys }: { field: Relation; keys: readonly Key[] },
): Promise<Map<string, Answer>> {
  const different = [...new Map(keys.map((one) => [textOf(one), one])).values()];
  if (different.length === 0) return new Map();
  await requireKeysUnchanged(reader, plan, { field, keys: different });
  const raws = plan.entity.isBare
    ? different.map((key) => bareRow(plan, key))
    : await reader.rows(keysStatement(plan, different, reader.env));
  const answers = await answersOf(reader, plan, raws);
  return new Map(answers.map((answer, i) => [textOf(keyOfRaw(plan.entity, raws[i] as Raw)), answer]));
}

/** A row of an entity that has nothing but its key. */
const bareRow = ({ types: [only] }: EntityPlan, key: Key): Raw => ({
  k0: key[0],
  ...Object.fromEntries((only?.selections ?? []).map((_, s) => [columnOfSelection(0, s), key[0]])),
});

/** The answers of rows, in their order. */
async function answersOf(reader: Reader, plan: EntityPlan, raws: readonly Raw[]): Promise<Answer[]> {
  // A caller chooses the keys, also `__proto__`.
  const answers: Answer[] = raws.map(() => Object.create(null));
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
  if (one.kind === "derived") return fillDerived(reader, { one, ...rows });
  for (const { answer } of rows.rows) answer[one.key] = rows.type.name;
}

/**
 * A value as it is answered: BigInt as text, bytes in lower case. Int as a number of any size: fuses are numbers of 32 bits,
 * which GraphQL's own Int does not hold.
 */
function written({ type, isList }: ScalarField, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (isList) return (value as unknown[]).map((one) => writtenOne(type, one));
  return writtenOne(type, value);
}

function writtenOne(type: ScalarField["type"], value: unknown): unknown {
  if (type === "BigInt") return String(value);
  if (type === "Int") return Number(value);
  return type === "Bytes" ? String(value).toLowerCase() : value;
}

async function fillScalar(reader: Reader, { type, rows, one, column }: Filling<"scalar">): Promise<void> {
  const { field, key } = one;
  if (field.count === undefined) {
    for (const { raw, answer } of rows) {
      answer[key] = written(field, raw[column()]);
      reader.addToSize(answer[key]);
    }
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
  const placed = new Set<Answer>();
  for (const [i, { answer }] of rows.entries()) {
    const own = keys[i];
    const target = own ? (found.get(textOf(own)) ?? null) : null;
    answer[key] = target;
    // Its values were counted once: they are written at each place where it stands.
    if (target !== null && placed.has(target)) reader.addToSize(target);
    else if (target !== null) placed.add(target);
    if (answer[key] === null && field.isRequired)
      throw new QueryError(`Null value resolved for non-null field \`${name}\``);
  }
}

const hidingValues = (env: Env): Env => ({ ...env, hidesValues: true });

/** A list that few entities are in has one plan for all values. */
function envOfList(env: Env, entity: Entity, list: ListArguments): Env {
  if (isNarrow(list.filter, entity, env.commonValues)) return hidingValues(env);
  return isFoundByPart(list) ? { ...env, reading: "found" } : whole(env);
}

type Below = { via: Relation; keys: readonly Key[]; list: ListArguments; of: EntityPlan };

/** Lists below entities: one below a name of very many is planned for it. */
function envBelow(env: Env, { via, keys, list, of: { entity } }: Below): Env {
  const below: Filter = { kind: "field", field: via, suffix: "in", values: keys.flat() };
  if (isNarrow(below, entity, env.commonValues)) return hidingValues(env);
  return isNarrow(list.filter, entity, env.commonValues) ? env : whole(env);
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
    const env = envBelow(reader.env, { via, keys: different, list, of });
    const raws = await reader.rows(belowStatement(of, asked, env));
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
