import { domain, event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { alias, sql } from "ponder";
import { sqlOf } from "../../query/scope.ts";
import { domainAt, toDomain } from "./domain.ts";
import {
  type Entity,
  type Env,
  type Field,
  none,
  type Relation,
  type Row,
  type ScalarField,
} from "./entity.ts";
import { counted, detailOf, textIn } from "./logs.ts";

/*
 * Each log that the subgraph has is an entity. Its id is the block and the index of the log; that of a transfer of the
 * NameWrapper also counts the tokens. Ids are text: `10000000-1` comes before `9999999-5`.
 */

const logAt = (row: Row) => alias(event, row);

type EventPlan = {
  name: string;
  description: string;
  /** Which logs it is. */
  is: (row: Row, env: Env) => SQL;
  fields?: Record<string, Field>;
  /** True if ids have the number of the token. */
  isNumbered?: true;
};

const plainId = (row: Row): SQL => sql`(${logAt(row).blockNumber} || '-' || ${logAt(row).logIndex})`;
const numberedId = (row: Row): SQL => sql`(${plainId(row)} || '-' || ${logAt(row).ordinal})`;

const INT = /^(0|[1-9]\d{0,8})$/;

const readId = (id: string): (string | number)[] | null => {
  const parts = id.split("-");
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => INT.test(part))) return null;
  return [Number(parts[0]), Number(parts[1]), Number(parts[2] ?? 0)];
};

const key: Entity["key"] = {
  columns: (row) => [sql`${logAt(row).blockNumber}`, sql`${logAt(row).logIndex}`, sql`${logAt(row).ordinal}`],
  types: ["int", "int", "int"],
  read: readId,
};

const value = (
  type: ScalarField["type"],
  source: string,
  of: ScalarField["value"],
  isRequired = true,
): ScalarField => ({ kind: "scalar", type, isRequired, source, value: of });

const account = (source: string, of: (row: Row) => SQL): Relation => ({
  ...{ kind: "relation", type: "Account", isRequired: true, source },
  key: (row) => [of(row)],
  id: of,
});

/** What all events have, besides their relation. */
const common = (id: (row: Row) => SQL): Record<string, Field> => ({
  id: value("ID", "`block_number`, `-` and `log_index`", id),
  blockNumber: {
    ...value("Int", "`block_number`", (row) => sql`${logAt(row).blockNumber}`),
    column: "int8",
    // Indexes have the time.
    order: (row) => sql`${logAt(row).blockTimestamp}`,
  },
  transactionID: {
    ...value("Bytes", "`transaction_hash`", (row) => sql`${logAt(row).transactionHash}`),
    isHex: true,
  },
});

type Family = {
  name: string;
  description: string;
  /** The relation that all events of the interface have. */
  relation: [string, Relation];
  types: readonly EventPlan[];
};

const isLog = (row: Row, eventType: string, contract: string): SQL => {
  const log = logAt(row);
  return sql`(${log.eventType} = ${sql.raw(`'${eventType}'`)} and ${log.contract} = ${sql.raw(`'${contract}'`)})`;
};

const ofRegistry =
  (eventType: string): EventPlan["is"] =>
  (row, { chains }) =>
    sql`(${logAt(row).eventType} = ${sql.raw(`'${eventType}'`)} and ${counted(row, chains)})`;

const ofContract =
  (contract: string) =>
  (eventType: string): EventPlan["is"] =>
  (row) =>
    isLog(row, eventType, contract);

const ofWrapper = ofContract("NAME_WRAPPER");
const ofRegistrar = ofContract("REGISTRAR");
const ofResolver = ofContract("RESOLVER");

const column = (name: "ownerAddress" | "newOwnerAddress" | "toAddress" | "address") => (row: Row) =>
  sql`${logAt(row)[name]}`;

const expiryDate = value("BigInt", "`expiry_timestamp`", (row) => sql`${logAt(row).expiryTimestamp}`);
const fuses = value("Int", "`fuses`", (row) => sql`${logAt(row).fuses}`);
const detail = (type: ScalarField["type"], argument: string, as = argument): ScalarField =>
  value(type, `\`${argument}\` of the log`, (row) =>
    type === "BigInt" ? sql`${detailOf(row, as)}::numeric` : detailOf(row, as),
  );

/** The parent of the name of a log. */
const parentNode = (row: Row, { chains }: Env): SQL => {
  const child = domainAt("child");
  return sql`(select ${child.parentNode} from ${domain} as child where ${child.node} = ${logAt(row).node}
    and ${sqlOf(chains).holds(child.chainId)})`;
};

const labelhash = (row: Row, { chains }: Env): SQL => {
  const child = domainAt("child");
  return sql`(select ${child.labelhash} from ${domain} as child where ${child.node} = ${logAt(row).node}
    and ${sqlOf(chains).holds(child.chainId)})`;
};

/** A transfer of a token of which a registration was before: the first mint is none. Source: src/ethRegistrar.ts there. */
const isTransferOfRegistered: EventPlan["is"] = (row, { chains }) => {
  const [log, first] = [logAt(row), logAt("first")];
  return sql`(${isLog(row, "Transfer", "REGISTRAR")} and exists (select from ${event} as first
    where ${first.node} = ${log.node} and ${first.contract} = 'REGISTRAR' and ${first.eventType} = 'NameRegistered'
      and ${sqlOf(chains).holds(first.chainId)}
      and (${first.blockNumber}, ${first.logIndex}) < (${log.blockNumber}, ${log.logIndex})))`;
};

const isNone = (row: Row): SQL => sql`${logAt(row).resolverAddress} = ${none}`;

const families: readonly Family[] = [
  {
    name: "DomainEvent",
    description: "An event of a name in the registries or the NameWrapper",
    relation: ["domain", toDomain((row) => sql`${logAt(row).node}`, { isRequired: true, source: "`node`" })],
    types: [
      {
        ...{ name: "Transfer", description: "The registry's owner changed", is: ofRegistry("Transfer") },
        fields: { owner: account("`new_owner_address`", column("newOwnerAddress")) },
      },
      {
        ...{
          name: "NewOwner",
          description: "A name was made, or given by its parent",
          is: ofRegistry("NewOwner"),
        },
        fields: {
          parentDomain: {
            ...{ kind: "relation", type: "Domain", isRequired: true, source: "`parent_node` of the name" },
            key: (row, env) => [parentNode(row, env)],
            id: parentNode,
          },
          owner: account("`owner_address`", column("ownerAddress")),
        },
      },
      {
        ...{ name: "NewResolver", description: "A resolver was set", is: ofRegistry("NewResolver") },
        fields: {
          resolver: {
            ...{ kind: "relation", type: "Resolver", isRequired: true },
            source: "`resolver_address` and `node`; `0x000…0` where there is none from then on",
            key: (row) => [
              sql`${logAt(row).resolverAddress}`,
              sql`case when ${isNone(row)} then '' else ${logAt(row).node} end`,
            ],
            id: (row) =>
              sql`concat_ws('-', ${logAt(row).resolverAddress}, case when not ${isNone(row)} then ${logAt(row).node} end)`,
          },
        },
      },
      {
        ...{ name: "NewTTL", description: "A time to live was set", is: ofRegistry("NewTTL") },
        fields: { ttl: detail("BigInt", "ttl") },
      },
      {
        ...{ name: "WrappedTransfer", description: "A token of the NameWrapper was made, moved or burnt" },
        is: (row) =>
          sql`(${logAt(row).contract} = 'NAME_WRAPPER' and ${logAt(row).eventType} in ('TransferSingle', 'TransferBatch'))`,
        isNumbered: true,
        fields: { owner: account("`to_address`", column("toAddress")) },
      },
      {
        ...{ name: "NameWrapped", description: "A name was wrapped", is: ofWrapper("NameWrapped") },
        fields: {
          name: value(
            "String",
            "`name`; null if it is not the node's",
            (row) => sql`${logAt(row).name}`,
            false,
          ),
          fuses,
          owner: account("`owner_address`", column("ownerAddress")),
          expiryDate,
        },
      },
      {
        ...{ name: "NameUnwrapped", description: "A name was unwrapped", is: ofWrapper("NameUnwrapped") },
        fields: { owner: account("`new_owner_address`", column("newOwnerAddress")) },
      },
      {
        ...{
          name: "FusesSet",
          description: "Fuses were burnt",
          is: ofWrapper("FusesSet"),
          fields: { fuses },
        },
      },
      {
        ...{ name: "ExpiryExtended", description: "A token's expiry moved", is: ofWrapper("ExpiryExtended") },
        fields: { expiryDate },
      },
    ],
  },
  {
    name: "RegistrationEvent",
    description: "An event of a .eth name in the registrar of 2020",
    relation: [
      "registration",
      {
        ...{ kind: "relation", type: "Registration", isRequired: true, source: "`node`" },
        key: (row) => [sql`${logAt(row).node}`],
        id: labelhash,
      },
    ],
    types: [
      {
        ...{
          name: "NameRegistered",
          description: "A name was registered",
          is: ofRegistrar("NameRegistered"),
        },
        fields: { registrant: account("`owner_address`", column("ownerAddress")), expiryDate },
      },
      {
        ...{ name: "NameRenewed", description: "A name was renewed", is: ofRegistrar("NameRenewed") },
        fields: { expiryDate },
      },
      {
        ...{ name: "NameTransferred", description: "A token moved", is: isTransferOfRegistered },
        fields: { newOwner: account("`to_address`", column("toAddress")) },
      },
    ],
  },
  {
    name: "ResolverEvent",
    description: "A record's event of any contract",
    relation: [
      "resolver",
      {
        ...{ kind: "relation", type: "Resolver", isRequired: true, source: "`contract_address` and `node`" },
        key: (row) => [sql`${logAt(row).contractAddress}`, sql`${logAt(row).node}`],
        id: (row) => sql`(${logAt(row).contractAddress} || '-' || ${logAt(row).node})`,
      },
    ],
    types: [
      {
        ...{
          name: "AddrChanged",
          description: "The address on Ethereum was set",
          is: ofResolver("AddrChanged"),
        },
        fields: { addr: account("`address`", column("address")) },
      },
      {
        ...{
          name: "MulticoinAddrChanged",
          description: "An address was set",
          is: ofResolver("AddressChanged"),
        },
        fields: {
          coinType: value("BigInt", "`coin_type`", (row) => sql`${logAt(row).coinType}`),
          addr: value("Bytes", "`address`", (row) => sql`${logAt(row).address}`),
        },
      },
      {
        ...{ name: "NameChanged", description: "The record `name` was set; not with NUL in it" },
        is: (row) => sql`(${isLog(row, "NameChanged", "RESOLVER")} and ${logAt(row).name} is not null)`,
        fields: { name: value("String", "`name`", (row) => sql`${logAt(row).name}`) },
      },
      {
        ...{ name: "AbiChanged", description: "An ABI was set", is: ofResolver("ABIChanged") },
        fields: { contentType: detail("BigInt", "contentType") },
      },
      {
        ...{ name: "PubkeyChanged", description: "A public key was set", is: ofResolver("PubkeyChanged") },
        fields: { x: detail("Bytes", "x"), y: detail("Bytes", "y") },
      },
      {
        ...{ name: "TextChanged", description: "A text was set", is: ofResolver("TextChanged") },
        fields: {
          key: value("String", "`key`, without NUL", (row) => textIn(row, "key")),
          value: value(
            "String",
            "`value`, without NUL; null if empty or unknown",
            (row) => sql`nullif(${textIn(row, "value")}, '')`,
            false,
          ),
        },
      },
      {
        ...{
          name: "ContenthashChanged",
          description: "A contenthash was set",
          is: ofResolver("ContenthashChanged"),
        },
        fields: { hash: value("Bytes", "`contenthash`", (row) => sql`${logAt(row).contenthash}`) },
      },
      {
        ...{
          name: "InterfaceChanged",
          description: "An interface was set",
          is: ofResolver("InterfaceChanged"),
        },
        fields: { interfaceID: detail("Bytes", "interfaceID"), implementer: detail("Bytes", "implementer") },
      },
      {
        ...{ name: "AuthorisationChanged", description: "An account may write records, or no longer" },
        is: ofResolver("AuthorisationChanged"),
        fields: {
          owner: detail("Bytes", "owner"),
          target: detail("Bytes", "target"),
          isAuthorized: value(
            "Boolean",
            "`isAuthorised` of the log",
            (row) => sql`${detailOf(row, "isAuthorised")}::boolean`,
          ),
        },
      },
      {
        ...{
          name: "VersionChanged",
          description: "All records were cleared",
          is: ofResolver("VersionChanged"),
        },
        fields: { version: detail("BigInt", "version", "newVersion") },
      },
    ],
  },
];

const from = (row: Row): SQL => sql`${event} as ${sql.identifier(row)}`;
const changedSince: Entity["changedSince"] = (row, block) => sql`${logAt(row).blockNumber} >= ${block}`;

/** Logs without a node concern no name. */
const ofChain = (row: Row, { chains }: Env): SQL =>
  sql`${sqlOf(chains).holds(logAt(row).chainId)} and ${logAt(row).node} is not null`;

const typeOf = (family: Family, { name, description, is, fields = {}, isNumbered }: EventPlan): Entity => {
  const id = isNumbered ? numberedId : plainId;
  const [relationName, relation] = family.relation;
  return {
    ...{ name, description, implements: family.name, from, key, changedSince },
    where: (row, env) => sql`${ofChain(row, env)} and ${is(row, env)}`,
    fields: { id: common(id).id as Field, [relationName]: relation, ...without(common(id), "id"), ...fields },
  };
};

const interfaceOf = (family: Family): Entity => {
  const { name, description, types } = family;
  const numbered = types.find(({ isNumbered }) => isNumbered);
  const id = (row: Row): SQL =>
    numbered === undefined
      ? plainId(row)
      : sql`case when ${logAt(row).contract} = 'NAME_WRAPPER' and ${logAt(row).eventType} like 'Transfer%'
          then ${numberedId(row)} else ${plainId(row)} end`;
  const [relationName, relation] = family.relation;
  return {
    ...{ name, description, members: types.map((type) => type.name), from, key, changedSince },
    where: (row, env) =>
      sql`${ofChain(row, env)} and (${sql.join(
        types.map(({ is }) => is(row, env)),
        sql` or `,
      )})`,
    fields: { id: common(id).id as Field, [relationName]: relation, ...without(common(id), "id") },
  };
};

const without = (fields: Record<string, Field>, name: string): Record<string, Field> =>
  Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name));

export const eventEntities: readonly Entity[] = families.flatMap((family) =>
  family.types.map((type) => typeOf(family, type)),
);

export const eventInterfaces: readonly Entity[] = families.map(interfaceOf);

/** Which of an interface's types a row is. */
export const typeOfRow = (members: readonly Entity[], row: Row, env: Env): SQL =>
  sql`case ${sql.join(
    members.map((type) => sql`when ${type.where(row, env)} then ${sql.raw(`'${type.name}'`)}`),
    sql` `,
  )} end`;
