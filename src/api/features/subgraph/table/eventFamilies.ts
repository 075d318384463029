import { domain, event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { sqlOf } from "../../../names/query/scope.ts";
import { domainAt, isDomain } from "./domain.ts";
import { type Env, type Field, none, type Relation, ROW_BY_ROW, type Row } from "./entity.ts";
import { relation, scalar } from "./fields.ts";
import { account, detail, expiryDate, fuses, logAt } from "./logFields.ts";
import { counted, detailOf, textIn } from "./logs.ts";

/* Which logs are which events of the subgraph, and what these have besides the fields of all. */

export type EventPlan = {
  name: string;
  description: string;
  /** What the log is called, and the families of contracts that emit it. */
  logged: { events: readonly string[]; by: readonly string[] };
  /** What else has to hold of the log. */
  only?: (row: Row, env: Env) => SQL;
  fields: Record<string, Field>;
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

/** A column of the name of a log. */
const ofName =
  (column: "parentNode" | "labelhash") =>
  (row: Row, { chains }: Env): SQL => {
    const child = domainAt("child");
    return sql`(select ${child[column]} from ${domain} as child where ${child.node} = ${logAt(row).node}
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

const resolverKey = (row: Row): SQL[] => [
  sql`${logAt(row).resolverAddress}`,
  sql`case when ${isNone(row)} then '' else ${logAt(row).node} end`,
];

const type = (
  name: string,
  description: string,
  logs: Pick<EventPlan, "logged" | "only" | "isNumbered">,
  fields: Record<string, Field>,
): EventPlan => ({ name, description, ...logs, fields });

/** The interfaces, with their types. */
export const families: readonly Family[] = [
  {
    name: "DomainEvent",
    description: "An event of a name in the registries or the NameWrapper",
    relation: ["domain", relation("Domain!", "`node`", (row) => sql`${logAt(row).node}`)],
    types: [
      type("Transfer", "The registry's owner changed", ofRegistry("Transfer"), {
        owner: account("newOwnerAddress", ["Transfer"]),
      }),
      type("NewOwner", "The parent's owner created or reassigned a name", ofRegistry("NewOwner"), {
        parentDomain: relation("Domain!", "`parent_node` of the name", ofName("parentNode")),
        owner: account("ownerAddress", ["NewOwner"]),
      }),
      type("NewResolver", "A resolver was set", ofRegistry("NewResolver"), {
        resolver: relation(
          "Resolver!",
          "`resolver_address` and `node`; `0x000…0` if the resolver was removed",
          (row) =>
            sql`concat_ws('-', ${logAt(row).resolverAddress}, case when not ${isNone(row)} then ${logAt(row).node} end)`,
          { key: resolverKey },
        ),
      }),
      type("NewTTL", "The TTL was set", ofRegistry("NewTTL"), { ttl: detail("BigInt", "ttl") }),
      type(
        "WrappedTransfer",
        "A NameWrapper token was minted, transferred or burnt",
        { ...ofWrapper("TransferSingle", "TransferBatch"), isNumbered: true },
        { owner: account("toAddress", ["TransferSingle", "TransferBatch"]) },
      ),
      type("NameWrapped", "A name was wrapped", ofWrapper("NameWrapped"), {
        name: scalar("String", "`name`; null if it is not the node's", (row) => sql`${logAt(row).name}`),
        fuses,
        owner: account("ownerAddress", ["NameWrapped"]),
        expiryDate,
      }),
      type("NameUnwrapped", "A name was unwrapped", ofWrapper("NameUnwrapped"), {
        owner: account("newOwnerAddress", ["NameUnwrapped"]),
      }),
      type("FusesSet", "Fuses were burnt", ofWrapper("FusesSet"), { fuses }),
      type("ExpiryExtended", "A wrapped name's expiry was extended", ofWrapper("ExpiryExtended"), {
        expiryDate,
      }),
    ],
  },
  {
    name: "RegistrationEvent",
    description: "An event of a .eth name in the registrar of 2020",
    relation: [
      "registration",
      relation("Registration!", "`node`", ofName("labelhash"), { key: (row) => [sql`${logAt(row).node}`] }),
    ],
    isOfEntity: isOfRegistration,
    types: [
      type("NameRegistered", "A name was registered", ofRegistrar("NameRegistered"), {
        registrant: account("ownerAddress", ["NameRegistered"]),
        expiryDate,
      }),
      type("NameRenewed", "A name was renewed", ofRegistrar("NameRenewed"), { expiryDate }),
      type(
        "NameTransferred",
        "A registrar token was transferred",
        { ...ofRegistrar("Transfer"), only: wasRegistered },
        { newOwner: account("toAddress", ["Transfer"]) },
      ),
    ],
  },
  {
    name: "ResolverEvent",
    description: "An event about records, from any contract",
    relation: [
      "resolver",
      relation(
        "Resolver!",
        "`contract_address` and `node`",
        (row) => sql`(${logAt(row).contractAddress} || '-' || ${logAt(row).node})`,
        { key: (row) => [sql`${logAt(row).contractAddress}`, sql`${logAt(row).node}`] },
      ),
    ],
    types: [
      type("AddrChanged", "The Ethereum address was set", ofResolver("AddrChanged"), {
        addr: account("address", []),
      }),
      type("MulticoinAddrChanged", "An address of any coin type was set", ofResolver("AddressChanged"), {
        coinType: scalar("BigInt!", "`coin_type`", (row) => sql`${logAt(row).coinType}`),
        addr: scalar("Bytes!", "`address`", (row) => sql`${logAt(row).address}`),
      }),
      type(
        "NameChanged",
        "The `name` record was set (not with NUL)",
        { ...ofResolver("NameChanged"), only: (row) => sql`${logAt(row).name} is not null` },
        { name: scalar("String!", "`name`", (row) => sql`${logAt(row).name}`) },
      ),
      type("AbiChanged", "An ABI was set", ofResolver("ABIChanged"), {
        contentType: detail("BigInt", "contentType"),
      }),
      type("PubkeyChanged", "A public key was set", ofResolver("PubkeyChanged"), {
        x: detail("Bytes", "x"),
        y: detail("Bytes", "y"),
      }),
      type("TextChanged", "A text record was set", ofResolver("TextChanged"), {
        key: scalar("String!", "`key`, without NUL", (row) => textIn(row, "key")),
        value: scalar(
          "String",
          "`value`, without NUL; null if empty or unknown",
          (row) => sql`nullif(${textIn(row, "value")}, '')`,
        ),
      }),
      type("ContenthashChanged", "A contenthash was set", ofResolver("ContenthashChanged"), {
        hash: scalar("Bytes!", "`contenthash`", (row) => sql`${logAt(row).contenthash}`),
      }),
      type("InterfaceChanged", "An interface was set", ofResolver("InterfaceChanged"), {
        interfaceID: detail("Bytes", "interfaceID"),
        implementer: detail("Bytes", "implementer"),
      }),
      type(
        "AuthorisationChanged",
        "An account was allowed or forbidden to write records",
        ofResolver("AuthorisationChanged"),
        {
          owner: detail("Bytes", "owner"),
          target: detail("Bytes", "target"),
          isAuthorized: scalar(
            "Boolean!",
            "`isAuthorised` of the log",
            (row) => sql`${detailOf(row, "isAuthorised")}::boolean`,
          ),
        },
      ),
      type("VersionChanged", "All records were cleared", ofResolver("VersionChanged"), {
        version: detail("BigInt", "version", "newVersion"),
      }),
    ],
  },
];
