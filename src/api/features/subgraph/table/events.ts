import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { type Entity, type Env, type Field, nameOf, type Row } from "./entity.ts";
import { type EventPlan, type Family, families } from "./eventFamilies.ts";
import { common, key, logAt, numberedId, plainId } from "./logFields.ts";

/*
 * Each log that the subgraph has is an entity. Its id is the block and the index of the log; that of a transfer of the
 * NameWrapper also counts the tokens. Ids are text: `10000000-1` comes before `9999999-5`.
 */

/** What all events have in common. */
const log: Pick<Entity, "isLog" | "from" | "key" | "changedSince" | "existedAt"> = {
  isLog: true,
  key,
  from: (row) => sql`${event} as ${sql.identifier(nameOf(row))}`,
  changedSince: (row, block) => sql`${logAt(row).blockNumber} >= ${block}`,
  existedAt: (row, block) => sql`${logAt(row).blockNumber} <= ${block}`,
};

/** Logs without a node concern no name. */
const ofFamily = ({ isOfEntity }: Family, row: Row, env: Env): SQL => {
  const isOfName = sql`${sqlOf(env.chains).holds(logAt(row).chainId)} and ${logAt(row).node} is not null`;
  return isOfEntity === undefined ? isOfName : sql`${isOfName} and ${isOfEntity(row, env)}`;
};

const words = (texts: readonly string[]): SQL => sql.raw(texts.map((text) => `'${text}'`).join(", "));

/** Whether an event of the interface has the type. */
const kindOf =
  ({ logged: { events, by } }: Pick<EventPlan, "logged">) =>
  (row: Row): SQL =>
    sql`(${logAt(row).eventType} in (${words(events)}) and ${logAt(row).contract} in (${words(by)}))`;

const isOf = (plan: Pick<EventPlan, "logged" | "only">, row: Row, env: Env): SQL =>
  plan.only === undefined ? kindOf(plan)(row) : sql`(${kindOf(plan)(row)} and ${plan.only(row, env)})`;

const kindsOf = ({ logged: { events, by } }: EventPlan): string[] =>
  by.flatMap((contract) => events.map((name) => `${contract} ${name}`));

const typeOf = (family: Family, plan: EventPlan): Entity => {
  const { name, description, fields, isNumbered } = plan;
  const id = isNumbered ? numberedId : plainId;
  return {
    name,
    description,
    implements: family.name,
    ...log,
    kind: kindOf(plan),
    kinds: kindsOf(plan),
    where: (row, env) => sql`${ofFamily(family, row, env)} and ${isOf(plan, row, env)}`,
    fields: fixed({ ...common(id, family), ...fields }),
  };
};

/** Types of the same contracts, with the same further condition, are one condition: it is written and looked at once. */
function alike(types: readonly EventPlan[]): Pick<EventPlan, "logged" | "only">[] {
  const found: Pick<EventPlan, "logged" | "only">[] = [];
  for (const { logged, only } of types) {
    const same = found.findIndex((one) => one.only === only && String(one.logged.by) === String(logged.by));
    const events = [...(found[same]?.logged.events ?? []), ...logged.events];
    const one = { logged: { events, by: logged.by }, ...(only && { only }) };
    if (same < 0) found.push(one);
    else found[same] = one;
  }
  return found;
}

const interfaceOf = (family: Family): Entity => {
  const { name, description, types } = family;
  const numbered = types.find(({ isNumbered }) => isNumbered);
  const id = (row: Row): SQL =>
    numbered === undefined
      ? plainId(row)
      : sql`case when ${kindOf(numbered)(row)} then ${numberedId(row)} else ${plainId(row)} end`;
  return {
    name,
    description,
    members: types.map((type) => type.name),
    ...log,
    kinds: types.flatMap(kindsOf),
    where: (row, env) =>
      sql`${ofFamily(family, row, env)} and (${sql.join(
        alike(types).map((plan) => isOf(plan, row, env)),
        sql` or `,
      )})`,
    fields: fixed(common(id, family)),
  };
};

/** A log never changes. */
const fixed = (fields: Record<string, Field>): Record<string, Field> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.kind === "derived" ? field : { ...field, isFixed: true },
    ]),
  );

export const eventEntities: readonly Entity[] = families.flatMap((family) =>
  family.types.map((type) => typeOf(family, type)),
);

export const eventInterfaces: readonly Entity[] = families.map(interfaceOf);

/** Which of an interface's types a row is. */
export const typeOfRow = (members: readonly Entity[], row: Row): SQL =>
  sql`case ${sql.join(
    members.map(({ kind, name }) => sql`when ${kind?.(row)} then ${sql.raw(`'${name}'`)}`),
    sql` `,
  )} end`;
