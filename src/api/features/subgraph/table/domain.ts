import { domain, event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { ETH_NODE, ROOT_NODE } from "../../../../ens/name.ts";
import { lapsedToken } from "../../../../ens/wrapper.ts";
import { sqlOf } from "../../../names/query/scope.ts";
import { toSql } from "../../../names/rules/conditionSql.ts";
import { createdOrder, expiryOrder } from "../../../names/rules/nameOrders.ts";
import { changedNode, ownerAt, ownerOrNoneAt } from "./changes.ts";
import { type Entity, type Env, nameOf, none, type Relation, ROW_BY_ROW, type Row } from "./entity.ts";
import { derived, relation, scalar } from "./fields.ts";
import { addrAt, nodesByAddress } from "./recordsInForce.ts";
import { domainAs, eventAs } from "./rowNames.ts";
import { belowByName, labelName, name, orderAt } from "./texts.ts";

/*
 * A domain is a node that had an owner in one of the registries of ENSv1, or for which an entry of ENSv2 answers. Nodes that
 * only a registrar's token made (`registerOnly`) are none. Where ENSv2 answers, owner, resolver and expiry are the entry's.
 */

export const domainAt = (row: Row) => domainAs(nameOf(row));

const eth = sql.raw(`'${ETH_NODE}'`);
const root = sql.raw(`'${ROOT_NODE}'`);
const seconds = (value: bigint | number): SQL => sql.raw(String(value));

/** What differs where ENSv2 is indexed: its answer for rows that it answers for. */
export const byEnsv2 = (row: Row, { ensv2 }: Env, parts: { v1: SQL; v2: (grace: SQL) => SQL }): SQL =>
  ensv2 === undefined
    ? parts.v1
    : sql`case when ${domainAt(row).registry} is null then ${parts.v1} else ${parts.v2(seconds(ensv2.graceSeconds))} end`;

/** Only rows of ENSv1. */
const ofEnsv1 = (row: Row, { ensv2 }: Env, condition: SQL): SQL =>
  ensv2 === undefined ? condition : sql`(${condition} and ${domainAt(row).registry} is null)`;

/** A column of ENSv1, and the owner in ENSv2, compared by the indexes of both. */
const ownedIn = (row: Row, column: SQL, { ensv2 }: Env, value: SQL): SQL => {
  const d = domainAt(row);
  if (ensv2 === undefined) return sql`${column} = ${value}`;
  return sql`((${column} = ${value} and ${d.registry} is null)
    or (${d.effectiveOwnerAddress} = ${value} and ${d.registry} is not null))`;
};

/** The domain is a name right under .eth that was registered in ENSv1 or ENSv2. */
export const isRegistered = (row: Row, { ensv2 }: Env): SQL => {
  const d = domainAt(row);
  const inEnsv1 = sql`${d.registrarExpiryTimestamp} is not null`;
  return ensv2 === undefined
    ? sql`(${d.parentNode} = ${eth} and ${inEnsv1})`
    : sql`(${d.parentNode} = ${eth} and (${inEnsv1} or ${d.registry} <> ${none}))`;
};

/** Holder of a .eth name: zero if the token was burnt. */
export const registrantOf = (row: Row, env: Env): SQL => {
  const d = domainAt(row);
  const holder = byEnsv2(row, env, {
    v1: sql`${d.registrarOwner}`,
    v2: () => sql`${d.effectiveOwnerAddress}`,
  });
  return sql`coalesce(${holder}, ${none})`;
};

export const registrantIs: NonNullable<Relation["matches"]> = (row, { values: [value], isNone }, env) =>
  isNone
    ? sql`(${registrantOf(row, env)} = ${value} and ${isRegistered(row, env)})`
    : sql`(${ownedIn(row, sql`${domainAt(row).registrarOwner}`, env, value as SQL)} and ${isRegistered(row, env)})`;

/** Who held a .eth name at a past block. */
export const registrantAt: NonNullable<Relation["idAt"]> = (row, block, { chains }) =>
  ownerOrNoneAt(sql`${domainAt(row).node}`, "registrarOwner", { block, chains });

/** The wrapper has a token of the name, which has an owner until it ends. */
export const hasToken = (row: Row, { now }: Env): SQL =>
  sql`(${domainAt(row).wrapperOwner} is not null and not ${toSql(lapsedToken, now, domainAt(row))})`;

export const wrappedOwnerAt: NonNullable<Relation["idAt"]> = (row, block, { chains }) =>
  ownerAt(sql`${domainAt(row).node}`, "wrapperOwner", { block, chains });

const expiryOf = (row: Row, env: Env): SQL => {
  const d = domainAt(row);
  const ended = (grace: SQL) =>
    sql`${d.expiryTimestamp} + case when ${d.parentNode} = ${eth} then ${grace} else 0 end`;
  return byEnsv2(row, env, { v1: orderAt(row, expiryOrder), v2: ended });
};

const resolvedOf = (row: Row, env: Env): SQL => {
  const d = domainAt(row);
  return addrAt(sql`${d.resolver}`, sql`${d.node}`, env);
};

/** Names by address: found by the index of addresses, then checked for what is in force. */
const resolvedIs: NonNullable<Relation["matches"]> = (row, { values: [value], isNone }, env) => {
  const isSo = sql`${resolvedOf(row, env)} = ${value}`;
  if (isNone) return isSo;
  return sql`(${domainAt(row).node} = any(array(${nodesByAddress(value as SQL, env)})) and ${isSo})`;
};

/** The last time to live that counts: of the old registry only before the node was in the new one. */
const ttlOf = (row: Row, { chains }: Env): SQL => {
  const [d, set] = [domainAt(row), eventAs("set")];
  return sql`(select (${set.details}::json ->> 'ttl')::numeric from ${event} as set
    where ${set.node} = ${d.node} and ${sqlOf(chains).holds(set.chainId)} and ${set.eventType} = 'NewTTL'
      and (${set.contract} = 'REGISTRY' or (${set.contract} = 'REGISTRY_OLD' and not ${d.isMigrated}))
    order by ${set.blockNumber} desc, ${set.logIndex} desc limit 1)`;
};

/** Rows that are not a holder's names: without owner and resolver. An index has both forms. */
export const isBlank = (row: Row, { ensv2 }: Env): SQL => {
  const d = domainAt(row);
  const inEnsv1 = sql`(${d.registryOwner} is null and ${d.resolver} is null and ${d.registry} is null)`;
  return ensv2 === undefined
    ? inEnsv1
    : sql`(${inEnsv1} or (${d.registry} is not null and ${d.resolver} is null and ${d.effectiveOwnerAddress} is null))`;
};

/** A name that counts for its parent: it has an owner, a resolver, or a name below it that counts. */
export const counts = (row: Row, env: Env): SQL => {
  const below = domainAt("below");
  const { holds } = sqlOf(env.chains);
  const isBlankBelow = isBlank("below", env);
  return sql`(not ${isBlank(row, env)} or exists (
    with recursive tree as (
      select ${below.node} as node, ${isBlankBelow} as blank from ${domain} as below
        where ${below.parentNode} = ${domainAt(row).node} and ${holds(below.chainId)}
      union all
      select ${below.node}, ${isBlankBelow} from tree join ${domain} as below
        on ${below.parentNode} = tree.node and ${holds(below.chainId)} where tree.blank
    ) select from tree where not blank))`;
};

/** How many names below count. For answers `counts/` has the number; this is for filters and orders. */
const subdomainsOf = (row: Row, env: Env): SQL => {
  const child = domainAt("child");
  return sql`(select count(*)::int from ${domain} as child where ${child.parentNode} = ${domainAt(row).node}
    and ${sqlOf(env.chains).holds(child.chainId)} and ${counts("child", env)})`;
};

/** Whether a row is a domain of the subgraph. */
export function isDomain(row: Row, { chains, ensv2 }: Env): SQL {
  const [d, made] = [domainAt(row), eventAs("made")];
  const hadOwner = sql`(${d.registryOwner} is not null or exists (select from ${event} as made
    where ${made.node} = ${d.node} and ${made.contract} in ('REGISTRY', 'REGISTRY_OLD')
      and ${made.eventType} = 'NewOwner' and ${sqlOf(chains).holds(made.chainId)} ${ROW_BY_ROW}))`;
  const counted = ensv2 === undefined ? hadOwner : sql`(${d.registry} is not null or ${hadOwner})`;
  return sql`${sqlOf(chains).holds(d.chainId)} and ${counted}`;
}

/** What rows of `domains` have in common: the logs of a node are all that changes one, except where ENSv2 answers. */
export const rowsOfDomains: Pick<
  Entity,
  "isRowOfDomains" | "from" | "key" | "changedSince" | "nodeOf" | "existedAt" | "isEnsv2"
> = {
  isRowOfDomains: true,
  from: (row) => sql`${domain} as ${sql.identifier(nameOf(row))}`,
  key: { columns: (row) => [sql`${domainAt(row).node}`], types: ["text"], read: (id) => [id] },
  changedSince: (row, block, env) => changedNode(sql`${domainAt(row).node}`, block, env),
  nodeOf: (row) => sql`${domainAt(row).node}`,
  existedAt: (row, block) => sql`${domainAt(row).createdBlockNumber} <= ${block}`,
  isEnsv2: (row) => sql`${domainAt(row).registry} is not null`,
};

export const domainEntity: Entity = {
  name: "Domain",
  description: "A name, by its namehash",
  ...rowsOfDomains,
  where: isDomain,
  fields: {
    id: scalar("ID!", "`node`", (row) => sql`${domainAt(row).node}`, { isHex: true, isFixed: true }),
    name,
    labelName,
    labelhash: scalar("Bytes", "`labelhash`", (row) => sql`${domainAt(row).labelhash}`, {
      isHex: true,
      isFixed: true,
      isNarrow: true,
    }),
    parent: relation("Domain", "`parent_node`", (row) => sql`${domainAt(row).parentNode}`, {
      isFixed: true,
      isNarrow: true,
      orders: { name: belowByName },
    }),
    subdomains: derived("[Domain!]!", "parent", "names directly below"),
    subdomainCount: scalar(
      "Int!",
      "counted: names directly below that have an owner, a resolver, or such a name below them",
      subdomainsOf,
      { count: "subdomains" },
    ),
    resolvedAddress: relation(
      "Account",
      "the current resolver's answer for coin type 60: its record, or the default address (ENSIP-19); the zero address if cleared",
      resolvedOf,
      { matches: resolvedIs, isNarrow: true, isOfRecords: true },
    ),
    resolver: relation(
      "Resolver",
      "`resolver` and `node`",
      (row) => sql`(${domainAt(row).resolver} || '-' || ${domainAt(row).node})`,
      { isNarrow: true, key: (row) => [sql`${domainAt(row).resolver}`, sql`${domainAt(row).node}`] },
    ),
    ttl: scalar("BigInt", "from `NewTTL`", ttlOf),
    isMigrated: scalar(
      "Boolean!",
      "`is_migrated`; true for the root",
      (row) => sql`(${domainAt(row).isMigrated} or ${domainAt(row).node} = ${root})`,
    ),
    createdAt: scalar(
      "BigInt!",
      "`created_timestamp`: the first event of the name; 0 for the root",
      (row) => orderAt(row, createdOrder),
      { isFixed: true, column: "int8", orderOfAll: (row) => [orderAt(row, createdOrder)] },
    ),
    owner: relation(
      "Account!",
      "`registry_owner`; in ENSv2 `effective_owner_address`. The zero address if none",
      ownerOf,
      {
        role: "registryOwner",
        isNarrow: true,
        matches: (row, { values: [value], isNone }, env) =>
          isNone
            ? sql`${ownerOf(row, env)} = ${value}`
            : ownedIn(row, sql`${domainAt(row).registryOwner}`, env, value as SQL),
        idAt: (row, block, { chains }) =>
          ownerOrNoneAt(sql`${domainAt(row).node}`, "registryOwner", { block, chains }),
      },
    ),
    registrant: relation(
      "Account",
      "`registrar_owner` of .eth names, kept after expiry; in ENSv2 `effective_owner_address`",
      (row, env) => sql`case when ${isRegistered(row, env)} then ${registrantOf(row, env)} end`,
      { role: "registrarOwner", isNarrow: true, matches: registrantIs, idAt: registrantAt },
    ),
    wrappedOwner: relation(
      "Account",
      "`wrapper_owner`; with PARENT_CANNOT_CONTROL, until the token expires",
      wrappedOwnerOf,
      {
        role: "wrapperOwner",
        isNarrow: true,
        matches: (row, { values: [value] }, env) =>
          ofEnsv1(row, env, sql`${domainAt(row).wrapperOwner} = ${value} and ${hasToken(row, env)}`),
        idAt: wrappedOwnerAt,
        isEndedByTime: true,
      },
    ),
    expiryDate: scalar(
      "BigInt",
      ".eth names: end of grace; wrapped subnames with PARENT_CANNOT_CONTROL: `wrapper_expiry_timestamp`",
      expiryOf,
      {
        orderOfAll: (row, { ensv2 }) => (ensv2 === undefined ? [orderAt(row, expiryOrder)] : undefined),
        heldOrder: "expiry",
      },
    ),
    registration: derived("Registration", "domain", ".eth names only"),
    wrappedDomain: derived("WrappedDomain", "domain", "wrapped names only"),
    events: derived("[DomainEvent!]!", "domain", "`events`"),
  },
};

function ownerOf(row: Row, env: Env): SQL {
  const d = domainAt(row);
  const owner = byEnsv2(row, env, {
    v1: sql`${d.registryOwner}`,
    v2: () => sql`${d.effectiveOwnerAddress}`,
  });
  return sql`coalesce(${owner}, ${none})`;
}

function wrappedOwnerOf(row: Row, env: Env): SQL {
  return byEnsv2(row, env, {
    v1: sql`case when ${hasToken(row, env)} then ${domainAt(row).wrapperOwner} end`,
    v2: () => sql`null`,
  });
}
