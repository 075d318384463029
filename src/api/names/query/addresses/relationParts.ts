import { domain, ensv2Entry, ensv2Role, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, not as isNot, isNull, sql } from "ponder";
import type { Address } from "viem";
import { not } from "../../../../ens/condition.ts";
import { toSql } from "../../rules/conditionSql.ts";
import { isCounted } from "../../rules/nameRules.ts";
import { lapsed, unexplained, wrapped } from "../../rules/ownership.ts";
import { ownedAt } from "../../rules/ownershipSql.ts";
import type { Relation } from "../../rules/relations.ts";
import { type DomainPart, domainsWhere as named } from "../domainLists.ts";
import { type ScopeSql, sqlOf } from "../scope.ts";
import type { AddressAt } from "./ownerConditions.ts";

/*
 * Where the names of an address are found. Each relation is one or several parts, and each part is found by an index that
 * begins with the address, in the order of the list where there is one. A name can be in several parts.
 */

/** An address, and its required relation to the names. */
export type Held = AddressAt & { relations: readonly Relation[] };

/** An address in a statement that is made for one question. */
type At = Omit<AddressAt, "chains"> & { of: ScopeSql };

/** The condition that the index of names that others own effectively has, too. */
const isOthers = sql`${domain.registryOwner} is distinct from ${domain.effectiveOwnerAddress}`;

/**
 * A condition that no index of its own serves. Of an owner's names PostgreSQL expects few that meet a second condition, and would
 * read all of them by its index, while the index of owners has them in the order of the list.
 */
const unindexed = (condition: SQL): SQL => sql`(${condition}) is true`;

const isStoredOwner = (address: Address): SQL => eq(domain.effectiveOwnerAddress, address);

/** The NameWrapper has, besides names that are its own, those that fell to it: these are found by the registry's owner. */
const effectiveOwner = ({ address, now, isWrapper }: At): DomainPart[] => {
  const own = named(ownedAt({ owner: address, isWrapper: false, now }));
  if (!isWrapper) return [own];
  return [own, named(and(eq(domain.registryOwner, address), toSql(lapsed, now), isNot(toSql(unexplained))))];
};

/** The effective owner usually is the registry owner, too: the registry owner's index then has the order. */
const registryOwner = ({ address }: At): DomainPart[] => [
  named(and(isStoredOwner(address), unindexed(eq(domain.registryOwner, address)))),
  named(and(eq(domain.registryOwner, address), isOthers)),
];

const registrarOwner = ({ address }: At): DomainPart[] => [
  named(and(isStoredOwner(address), unindexed(eq(domain.registrarOwner, address)))),
  named(
    and(eq(domain.registrarOwner, address), sql`${domain.effectiveOwnerAddress} is distinct from ${address}`),
  ),
];

/** The owner of a wrapped name is the wrapper's. */
const wrapperOwner = ({ address, now }: At): DomainPart[] => [
  named(and(isStoredOwner(address), unindexed(eq(domain.wrapperOwner, address)), toSql(wrapped, now))),
];

/**
 * The holder of the NameWrapper's token if the name is wrapped, else the owner in the registry; of a name of which it is not known
 * whether it is wrapped still, no one. A name of ENSv2 has holders of roles.
 */
function manager({ address, now }: At): DomainPart[] {
  const isWrapped = toSql(wrapped, now);
  const isManager = sql`(case when ${isWrapped} then ${eq(domain.wrapperOwner, address)}
    when ${domain.isWrapped} and ${toSql(unexplained)} then false else ${eq(domain.registryOwner, address)} end)`;
  return [
    named(and(isStoredOwner(address), isNull(domain.registry), isManager)),
    named(
      and(eq(domain.registryOwner, address), isOthers, isNull(domain.registry), isNot(isWrapped), isManager),
    ),
  ];
}

const resolver = ({ address }: At): DomainPart[] => [named(eq(domain.resolver, address))];

/** Of the accounts that have roles for an entry, the one that is meant; `roles` of 0 were taken away. */
const roleHolder = ({ address }: At): DomainPart[] => [
  {
    from: sql`(select distinct ${ensv2Entry.chainId} as chain_id, ${ensv2Entry.registry} as registry,
        ${ensv2Entry.labelhash} as labelhash
      from ${ensv2Role} join ${ensv2Entry} on ${and(
        eq(ensv2Entry.chainId, ensv2Role.chainId),
        eq(ensv2Entry.registry, ensv2Role.contract),
        eq(ensv2Entry.resource, ensv2Role.resource),
      )}
      where ${eq(ensv2Role.account, address)} and ${ensv2Role.roles} <> 0 offset 0) as role_entry
    join ${domain} on ${domain.chainId} = role_entry.chain_id and ${domain.registry} = role_entry.registry
      and ${domain.labelhash} = role_entry.labelhash`,
    where: undefined,
  },
];

/**
 * The holders of a name before: not those who have it still, to whom a registrar's name belongs until its grace is over. One index
 * has all names that an address ever held, one all that it controls, so that rows are read of former names alone. `offset 0`
 * begins with these: of names in an order the planner expects to meet some of them soon.
 */
const formerOwner = ({ address, now, isWrapper, of }: At): DomainPart[] => {
  const isControlled = and(
    ownedAt({ owner: address, isWrapper, now }),
    toSql(of.rule(not(of.life.lost)), now),
  );
  const { chainId, node } = domain;
  return [
    {
      from: sql`(select ${holder.chainId} as chain_id, ${holder.node} as node from ${holder}
          where ${eq(holder.address, address)} and (${holder.chainId}, ${holder.node}) not in (
            select ${chainId}, ${node} from ${domain} where ${isControlled}) offset 0) as former
        join ${domain} on ${chainId} = former.chain_id and ${node} = former.node`,
      where: undefined,
    },
  ];
};

const partsOf: Record<Relation, (at: At) => DomainPart[]> = {
  effective_owner: effectiveOwner,
  registry_owner: registryOwner,
  registrar_owner: registrarOwner,
  wrapper_owner: wrapperOwner,
  resolver,
  manager,
  role_holder: roleHolder,
  former_owner: formerOwner,
};

/** The parts in which the names are that an address has one of these relations to. */
export function partsOfRelations(at: AddressAt, relations: readonly Relation[]): DomainPart[] {
  const of = sqlOf(at.chains);
  const isNamed = and(of.holds(domain.chainId), toSql(isCounted));
  return relations
    .flatMap((relation) => partsOf[relation]({ ...at, of }))
    .map(({ from, where }) => ({ from, where: and(isNamed, where) }));
}
