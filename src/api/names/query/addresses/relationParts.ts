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

/**
 * Where the names of an address are found. Each relation has one or several parts. Each part has an index that begins with the
 * address, in the order of the list where there is such an index. A name can be in several parts.
 */

/** An address and some relations. Each listed name has at least one of them to the address. */
export type Held = AddressAt & { relations: readonly Relation[] };

/** An address, for a statement that is built per request. */
type At = Omit<AddressAt, "chains"> & { of: ScopeSql };

/** The predicate of the partial index of names that others effectively own. */
const isOthers = sql`${domain.registryOwner} is distinct from ${domain.effectiveOwnerAddress}`;

/**
 * Hides a condition from the planner. PostgreSQL expects few of an owner's names to match a second condition, so it would read
 * all names by that condition's index, while the index of owners returns them in the order of the list.
 */
const unindexed = (condition: SQL): SQL => sql`(${condition}) is true`;

const isStoredOwner = (address: Address): SQL => eq(domain.effectiveOwnerAddress, address);

/** Besides its own names, the NameWrapper owns names that fell to it. These are found by the registry's owner. */
const effectiveOwner = ({ address, now, isWrapper }: At): DomainPart[] => {
  const own = named(ownedAt({ owner: address, isWrapper: false, now }));
  if (!isWrapper) return [own];
  return [own, named(and(eq(domain.registryOwner, address), toSql(lapsed, now), isNot(toSql(unexplained))))];
};

/** The effective owner is usually the registry owner, too. In that case the index of the registry owner has the order. */
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

/** A wrapped name's owner according to the wrapper. */
const wrapperOwner = ({ address, now }: At): DomainPart[] => [
  named(and(isStoredOwner(address), unindexed(eq(domain.wrapperOwner, address)), toSql(wrapped, now))),
];

/**
 * The manager is the holder of the NameWrapper's token for a wrapped name, and the registry's owner otherwise. A name that may or may
 * not still be wrapped has no manager. An ENSv2 name has role holders instead.
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

/** Selects this address among the accounts with roles on an entry. A `roles` of 0 means the roles were revoked. */
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
 * Former holders of a name, without those who still hold it: a registrar's name belongs to its holder until grace ends. One index
 * contains every name that an address ever held and another every name it controls, so only rows of former names are read.
 * `offset 0` makes the planner start with these. Otherwise it walks names in list order and expects to find some of them soon.
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

/** Subqueries that find an address's names by relation. */
export function partsOfRelations(at: AddressAt, relations: readonly Relation[]): DomainPart[] {
  const of = sqlOf(at.chains);
  const isNamed = and(of.holds(domain.chainId), toSql(isCounted));
  return relations
    .flatMap((relation) => partsOf[relation]({ ...at, of }))
    .map(({ from, where }) => ({ from, where: and(isNamed, where) }));
}
