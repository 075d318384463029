import { domain, event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { domainAt, isDomain, toDomain } from "./domain.ts";
import { type Env, type Field, none, type Relation, ROW_BY_ROW, type Row } from "./entity.ts";
import { account, detail, expiryDate, fuses, logAt, value } from "./logFields.ts";
import { counted, detailOf, textIn } from "./logs.ts";

/* Which logs are which events of the subgraph, and what these have besides the fields of all. */

export type EventPlan = {
  name: string;
  description: string;
  /** What the log is called, and the families of contracts that emit it. */
  logged: { events: readonly string[]; by: readonly string[] };
  /** What else has to hold of the log. */
  only?: (row: Row, env: Env) => SQL;
  fields?: Record<string, Field>;
  /** True if ids have the number of the token. */
  isNumbered?: true;
};

export type Family = {
  name: string;
  description: string;
  /** The relation that all events of the interface have. */
  relation: [string, Relation];
  /** Which logs concern an entity that is there, where others can be. */
  isOfEntity?: (row: Row, env: Env) => SQL;
  types: readonly EventPlan[];
};

const isCounted: NonNullable<EventPlan["only"]> = (row, { chains }) => counted(row, chains);

const ofRegistry = (event: string): Pick<EventPlan, "logged" | "only"> => ({
  logged: { events: [event], by: ["REGISTRY", "REGISTRY_OLD"] },
  only: isCounted,
});

const by =
  (contract: string) =>
  (...events: readonly string[]): Pick<EventPlan, "logged"> => ({ logged: { events, by: [contract] } });

const ofWrapper = by("NAME_WRAPPER");
const ofRegistrar = by("REGISTRAR");
const ofResolver = by("RESOLVER");

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

/** Tokens without a node (`registerOnly`) are not registrations. */
const isOfRegistration: NonNullable<Family["isOfEntity"]> = (row, env) =>
  sql`exists (select from ${domain} as named where ${domainAt("named").node} = ${logAt(row).node} and ${isDomain("named", env)} ${ROW_BY_ROW})`;

/** A registration was before: the first mint of a token is no transfer. Source: src/ethRegistrar.ts there. */
const wasRegistered: NonNullable<EventPlan["only"]> = (row, { chains }) => {
  const [log, first] = [logAt(row), logAt("first")];
  return sql`exists (select from ${event} as first
    where ${first.node} = ${log.node} and ${first.contract} = 'REGISTRAR' and ${first.eventType} = 'NameRegistered'
      and ${sqlOf(chains).holds(first.chainId)}
      and (${first.blockNumber}, ${first.logIndex}) < (${log.blockNumber}, ${log.logIndex}) ${ROW_BY_ROW})`;
};

const isNone = (row: Row): SQL => sql`${logAt(row).resolverAddress} = ${none}`;

/** The interfaces, with their types. */
export const families: readonly Family[] = [
  {
    name: "DomainEvent",
    description: "An event of a name in the registries or the NameWrapper",
    relation: ["domain", toDomain((row) => sql`${logAt(row).node}`, { isRequired: true, source: "`node`" })],
    types: [
      {
        name: "Transfer",
        description: "The registry's owner changed",
        ...ofRegistry("Transfer"),
        fields: { owner: account("newOwnerAddress", ["Transfer"]) },
      },
      {
        name: "NewOwner",
        description: "The parent's owner created or reassigned a name",
        ...ofRegistry("NewOwner"),
        fields: {
          parentDomain: {
            kind: "relation",
            type: "Domain",
            isRequired: true,
            source: "`parent_node` of the name",
            key: (row, env) => [parentNode(row, env)],
            id: parentNode,
          },
          owner: account("ownerAddress", ["NewOwner"]),
        },
      },
      {
        name: "NewResolver",
        description: "A resolver was set",
        ...ofRegistry("NewResolver"),
        fields: {
          resolver: {
            kind: "relation",
            type: "Resolver",
            isRequired: true,
            source: "`resolver_address` and `node`; `0x000…0` if the resolver was removed",
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
        name: "NewTTL",
        description: "The TTL was set",
        ...ofRegistry("NewTTL"),
        fields: { ttl: detail("BigInt", "ttl") },
      },
      {
        name: "WrappedTransfer",
        description: "A NameWrapper token was minted, transferred or burnt",
        ...ofWrapper("TransferSingle", "TransferBatch"),
        isNumbered: true,
        fields: { owner: account("toAddress", ["TransferSingle", "TransferBatch"]) },
      },
      {
        name: "NameWrapped",
        description: "A name was wrapped",
        ...ofWrapper("NameWrapped"),
        fields: {
          name: value(
            "String",
            "`name`; null if it is not the node's",
            (row) => sql`${logAt(row).name}`,
            false,
          ),
          fuses,
          owner: account("ownerAddress", ["NameWrapped"]),
          expiryDate,
        },
      },
      {
        name: "NameUnwrapped",
        description: "A name was unwrapped",
        ...ofWrapper("NameUnwrapped"),
        fields: { owner: account("newOwnerAddress", ["NameUnwrapped"]) },
      },
      {
        name: "FusesSet",
        description: "Fuses were burnt",
        ...ofWrapper("FusesSet"),
        fields: { fuses },
      },
      {
        name: "ExpiryExtended",
        description: "A wrapped name's expiry was extended",
        ...ofWrapper("ExpiryExtended"),
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
        kind: "relation",
        type: "Registration",
        isRequired: true,
        source: "`node`",
        key: (row) => [sql`${logAt(row).node}`],
        id: labelhash,
      },
    ],
    isOfEntity: isOfRegistration,
    types: [
      {
        name: "NameRegistered",
        description: "A name was registered",
        ...ofRegistrar("NameRegistered"),
        fields: { registrant: account("ownerAddress", ["NameRegistered"]), expiryDate },
      },
      {
        name: "NameRenewed",
        description: "A name was renewed",
        ...ofRegistrar("NameRenewed"),
        fields: { expiryDate },
      },
      {
        name: "NameTransferred",
        description: "A registrar token was transferred",
        ...ofRegistrar("Transfer"),
        only: wasRegistered,
        fields: { newOwner: account("toAddress", ["Transfer"]) },
      },
    ],
  },
  {
    name: "ResolverEvent",
    description: "An event about records, from any contract",
    relation: [
      "resolver",
      {
        kind: "relation",
        type: "Resolver",
        isRequired: true,
        source: "`contract_address` and `node`",
        key: (row) => [sql`${logAt(row).contractAddress}`, sql`${logAt(row).node}`],
        id: (row) => sql`(${logAt(row).contractAddress} || '-' || ${logAt(row).node})`,
      },
    ],
    types: [
      {
        name: "AddrChanged",
        description: "The Ethereum address was set",
        ...ofResolver("AddrChanged"),
        fields: { addr: account("address", []) },
      },
      {
        name: "MulticoinAddrChanged",
        description: "An address of any coin type was set",
        ...ofResolver("AddressChanged"),
        fields: {
          coinType: value("BigInt", "`coin_type`", (row) => sql`${logAt(row).coinType}`),
          addr: value("Bytes", "`address`", (row) => sql`${logAt(row).address}`),
        },
      },
      {
        name: "NameChanged",
        description: "The `name` record was set (not with NUL)",
        ...ofResolver("NameChanged"),
        only: (row) => sql`${logAt(row).name} is not null`,
        fields: { name: value("String", "`name`", (row) => sql`${logAt(row).name}`) },
      },
      {
        name: "AbiChanged",
        description: "An ABI was set",
        ...ofResolver("ABIChanged"),
        fields: { contentType: detail("BigInt", "contentType") },
      },
      {
        name: "PubkeyChanged",
        description: "A public key was set",
        ...ofResolver("PubkeyChanged"),
        fields: { x: detail("Bytes", "x"), y: detail("Bytes", "y") },
      },
      {
        name: "TextChanged",
        description: "A text record was set",
        ...ofResolver("TextChanged"),
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
        name: "ContenthashChanged",
        description: "A contenthash was set",
        ...ofResolver("ContenthashChanged"),
        fields: { hash: value("Bytes", "`contenthash`", (row) => sql`${logAt(row).contenthash}`) },
      },
      {
        name: "InterfaceChanged",
        description: "An interface was set",
        ...ofResolver("InterfaceChanged"),
        fields: { interfaceID: detail("Bytes", "interfaceID"), implementer: detail("Bytes", "implementer") },
      },
      {
        name: "AuthorisationChanged",
        description: "An account was allowed or forbidden to write records",
        ...ofResolver("AuthorisationChanged"),
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
        name: "VersionChanged",
        description: "All records were cleared",
        ...ofResolver("VersionChanged"),
        fields: { version: detail("BigInt", "version", "newVersion") },
      },
    ],
  },
];
