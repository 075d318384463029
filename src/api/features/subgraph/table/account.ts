import { addressRecord, domain, event, holder } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { columnOf, type Entity, type Env, nameOf, none, type Row } from "./entity.ts";
import { derived, scalar } from "./fields.ts";
import { isForEthereum } from "./recordsInForce.ts";
import { addressRecordAs } from "./rowNames.ts";

const id = (row: Row): SQL => columnOf(row, "id");

type Part = { table: SQL; address: SQL; where: SQL };

/** Where addresses stand: as owners and holders of names, and in address records. Each has an index. */
const parts = (env: Env): Part[] => {
  const { holds } = sqlOf(env.chains);
  const named = addressRecordAs("named");
  const owners = [
    domain.registryOwner,
    domain.registrarOwner,
    domain.wrapperOwner,
    domain.effectiveOwnerAddress,
  ];
  return [
    { table: sql`${holder}`, address: sql`${holder.address}`, where: holds(holder.chainId) },
    ...owners.map((owner) => ({
      table: sql`${domain}`,
      address: sql`${owner}`,
      where: sql`${owner} is not null and ${holds(domain.chainId)}`,
    })),
    {
      table: sql`${addressRecord} as named`,
      address: sql`left(${named.address}, 130)`,
      where: sql`${named.address} is not null and ${isForEthereum("named", env)} and ${holds(named.chainId)}`,
    },
  ];
};

/** Every such address, and the zero address. Conditions on `id` are met inside of each part, by its index. */
const seen = (env: Env): SQL =>
  sql.join(
    [
      sql`select ${none} as id`,
      ...parts(env).map(({ table, address, where }) => sql`select ${address} from ${table} where ${where}`),
    ],
    sql` union `,
  );

const isThere: NonNullable<Entity["isThere"]> = ([address = none], env) =>
  sql.join(
    [
      sql`${address} = ${none}`,
      ...parts(env).map(
        (part) =>
          sql`exists (select from ${part.table} where ${part.address} = ${address} and ${part.where})`,
      ),
    ],
    sql` or `,
  );

export const accountEntity: Entity = {
  name: "Account",
  description: "An address that owned or held a name, or that a name resolves to",
  from: (row, env) => sql`(${seen(env)}) as ${sql.identifier(nameOf(row))}`,
  where: () => sql`true`,
  key: {
    columns: (row) => [id(row)],
    types: ["text"],
    read: (given) => [given],
    write: ([value]) => String(value),
  },
  isBare: true,
  isThere,
  rowOf: ([address = none]) => ({ columns: { id: address } }),
  changedSince: (row, block, { chains }) => sql`exists (select from ${event}
    where ${event.blockNumber} >= ${block} and ${sqlOf(chains).holds(event.chainId)}
      and ${id(row)} in (${event.ownerAddress}, ${event.newOwnerAddress}, ${event.toAddress}, ${event.address}))`,
  fields: {
    id: scalar("ID!", "owners, holders and address records", id, { isHex: true, isFixed: true }),
    domains: derived("[Domain!]!", "owner", "excludes wrapped names, which the NameWrapper owns"),
    wrappedDomains: derived("[WrappedDomain!]", "owner", "tokens of the NameWrapper"),
    registrations: derived("[Registration!]", "registrant", "tokens of the registrar"),
  },
};
