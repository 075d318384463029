import { accountEntity } from "./account.ts";
import { domainEntity } from "./domain.ts";
import { type Entity, rootOf } from "./entity.ts";
import { eventEntities, eventInterfaces } from "./events.ts";
import { registrationEntity, wrappedDomainEntity } from "./registration.ts";
import { resolverEntity } from "./resolver.ts";

/** The types of the subgraph, in the order of its schema, and the interfaces. */
export const entities: readonly Entity[] = [
  domainEntity,
  ...eventEntities.filter((entity) => entity.implements === "DomainEvent"),
  registrationEntity,
  ...eventEntities.filter((entity) => entity.implements === "RegistrationEvent"),
  wrappedDomainEntity,
  accountEntity,
  resolverEntity,
  ...eventEntities.filter((entity) => entity.implements === "ResolverEvent"),
  ...eventInterfaces,
];

const byName = new Map(entities.map((entity) => [entity.name, entity]));

/** A type or interface that a field of the table names. */
export function entityOf(name: string): Entity {
  const entity = byName.get(name);
  if (entity === undefined) throw new Error(`Invariant(subgraph): no type ${name}`);
  return entity;
}

/** The types that an entity can be of: those of an interface, or itself. */
export const membersOf = (entity: Entity): readonly Entity[] => entity.members?.map(entityOf) ?? [entity];

/** Entities by the names of the fields of Query. */
export const roots: ReadonlyMap<string, Root> = new Map(
  entities.flatMap((entity): [string, Root][] => {
    const { one, many } = rootOf(entity);
    return [
      [one, { entity, isMany: false }],
      [many, { entity, isMany: true }],
    ];
  }),
);

type Root = { entity: Entity; isMany: boolean };
