import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Hex } from "viem";
import { time } from "../../../../ens/condition.ts";
import { childNode, ETH_NODE } from "../../../../ens/name.ts";
import { TOKEN_END } from "../../../../ens/wrapper.ts";
import { sqlOf } from "../../../names/query/scope.ts";
import { toSql } from "../../../names/rules/conditionSql.ts";
import { registeredOrder } from "../../../names/rules/nameOrders.ts";
import {
  byEnsv2,
  domainAt,
  domainEntity,
  hasToken,
  isDomain,
  isRegistered,
  registrantAt,
  registrantIs,
  registrantOf,
  rowsOfDomains,
  wrappedOwnerAt,
} from "./domain.ts";
import { type Entity, type Env, idOf, type Row } from "./entity.ts";
import { derived, relation, scalar } from "./fields.ts";
import { eventAs } from "./rowNames.ts";
import { knownName, labelName, orderAt } from "./texts.ts";

/** A registration and a wrapped name are the row of their domain. */
const ownDomain = relation("Domain!", "`node`", (row) => sql`${domainAt(row).node}`, {
  isFixed: true,
  isOfSameRow: true,
  isNarrow: true,
});

const HASH = /^0x[0-9a-f]{64}$/;

/** What a controller said last that the name cost: a purchase, or a renewal. */
const costOf = (row: Row, { chains }: Env): SQL => {
  const [d, sale] = [domainAt(row), eventAs("sale")];
  return sql`(select ${sale.costWei} from ${event} as sale
    where ${sale.node} = ${d.node} and ${sale.contract} = 'CONTROLLER' and ${sale.costWei} is not null
      and ${sqlOf(chains).holds(sale.chainId)}
    order by ${sale.blockNumber} desc, ${sale.logIndex} desc limit 1)`;
};

export const registrationEntity: Entity = {
  name: "Registration",
  description: "A .eth name registered in the registrar of 2020 or in ENSv2, by labelhash",
  ...rowsOfDomains,
  where: (row, env) => sql`${isRegistered(row, env)} and ${isDomain(row, env)}`,
  whereEver: (row, env) => sql`${domainAt(row).parentNode} = ${ETH_NODE} and ${isDomain(row, env)}`,
  key: {
    ...rowsOfDomains.key,
    read: (id) => (HASH.test(id) ? [childNode(ETH_NODE, id as Hex)] : null),
  },
  fields: {
    id: scalar("ID!", "`labelhash`", (row) => sql`${domainAt(row).labelhash}`, {
      isHex: true,
      isFixed: true,
    }),
    domain: ownDomain,
    registrationDate: scalar("BigInt!", "`registered_timestamp`", (row) => orderAt(row, registeredOrder), {
      column: "int8",
      orderOfAll: (row) => [orderAt(row, registeredOrder)],
    }),
    expiryDate: scalar(
      "BigInt!",
      "`expiry_timestamp` of the registrar or the ENSv2 entry, without grace",
      (row, env) => {
        const d = domainAt(row);
        const v2 = () => sql`coalesce(${d.expiryTimestamp}, ${d.registrarExpiryTimestamp}, 0)`;
        return byEnsv2(row, env, { v1: sql`${d.expiryTimestamp}`, v2 });
      },
      {
        orderOfAll: (row, { ensv2 }) =>
          ensv2 === undefined ? [sql`${domainAt(row).expiryTimestamp}`] : undefined,
      },
    ),
    cost: scalar("BigInt", "last `cost_wei` in a controller's event", costOf),
    registrant: relation("Account!", "as in `Domain`", registrantOf, {
      matches: registrantIs,
      idAt: registrantAt,
      isNarrow: true,
    }),
    labelName,
    events: derived("[RegistrationEvent!]!", "registration", "`events`"),
  },
};

/** Rule: the token's expiry is past, so that it has no fuses. Source: NameWrapper.getData. */
const expiredToken = time("wrapperExpiryTimestamp", "<=", -TOKEN_END);

export const wrappedDomainEntity: Entity = {
  name: "WrappedDomain",
  description: "A NameWrapper token with an owner, by namehash",
  ...rowsOfDomains,
  whereEver: isDomain,
  where: (row, env) => {
    const d = domainAt(row);
    const isWrapped = sql`${hasToken(row, env)} and ${isDomain(row, env)}`;
    return env.ensv2 === undefined ? isWrapped : sql`${isWrapped} and ${d.registry} is null`;
  },
  fields: {
    id: idOf(domainEntity),
    domain: ownDomain,
    expiryDate: scalar(
      "BigInt!",
      "`wrapper_expiry_timestamp`, which follows renewals; for .eth names with grace",
      (row) => sql`coalesce(${domainAt(row).wrapperExpiryTimestamp}, 0)`,
    ),
    fuses: scalar("Int!", "`wrapper_fuses`; 0 after expiry", (row, { now }) => {
      const d = domainAt(row);
      return sql`case when ${toSql(expiredToken, now, d)} then 0 else coalesce(${d.wrapperFuses}, 0) end`;
    }),
    owner: relation("Account!", "`wrapper_owner`", (row) => sql`${domainAt(row).wrapperOwner}`, {
      idAt: wrappedOwnerAt,
      isEndedByTime: true,
      isNarrow: true,
    }),
    name: knownName,
  },
};
