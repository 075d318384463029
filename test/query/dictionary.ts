import { readFileSync } from "node:fs";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import ts from "typescript";
import schema from "../support/ponderSchema.ts";

const schemaFile = new URL("../../ponder.schema.ts", import.meta.url);

/** The meaning of a column unless the schema says otherwise. */
const common: Record<string, string> = {
  chain_id: "Id of the chain.",
  block_number: "Block of the log.",
  block_timestamp: "Time of that block, unix seconds.",
  log_index: "Index of the log in its block.",
  ordinal: "Numbers the names one log concerns, from 0.",
  transaction_hash: "Transaction of the log.",
  contract_address: "The contract that emitted the log.",
  node: "namehash of the name.",
  resolver: "The resolver.",
  registry_owner: "Owner in the registry; null if none.",
  registrar_owner: "Holder of the registrar's token; null if none.",
  wrapper_owner: "Holder of the NameWrapper's token; null if none.",
  from_address: "Sender of a transfer, or the account that acted.",
  to_address: "Recipient.",
  owner_address: "Owner in the log.",
  new_owner_address: "Owner after a transfer or unwrapping.",
  resolver_address: "Resolver in the log.",
  base_cost_wei: "Price without premium, wei.",
  premium_wei: "Premium after grace, wei.",
  referrer: "Referrer named by the buyer, 32 bytes.",
  expiry_timestamp: "Expiry in the log, unix seconds.",
  fuses: "NameWrapper fuses in the log.",
  coin_type: "Coin type of the address (SLIP-44, ENSIP-11).",
  key: "Key of a text record.",
  value: "Value of a text record.",
  contenthash: "The contenthash record; null if none.",
  name: "Name in the log, in full.",
  labelhash: "keccak256 of the label.",
  address: "The address.",
  label: "The label.",
  registrar: "Kind of reverse registrar that set it.",
  is_name_known: "False if only the chain knows the name.",
  adapter: "The adapter that registered and holds the agent.",
  agent_id: "Token id of the agent.",
  token_contract: "Contract of the token.",
  token_id: "Id of the token in that contract.",
  version: "Incremented each time records are cleared.",
  created_block_number: "Block of the first event of the name.",
  created_timestamp: "Time of the first event of the name, unix seconds.",
  last_owned_block_number: "Block of the last such event.",
  last_owned_block_timestamp: "Time of that block, unix seconds.",
  next_sibling: "Next child of the same parent.",
  registry: "The ENSv2 registry.",
  subregistry: "Registry of the names below; null if none.",
  registered_block_number: "Block of that registration.",
  registered_timestamp: "Time of that block, unix seconds.",
  registered_transaction_hash: "Transaction of that registration.",
  reserved_timestamp: "Time of that block, unix seconds.",
  reserved_transaction_hash: "Transaction of that reservation.",
  parent_label: "The label there; null if it claims none.",
  position: "Counts from 0.",
  mounted: "Number of names in that block.",
  depth: "Number of labels in the name.",
  contract: "The contract.",
  account: "Account that has the roles.",
  payment_token: "The ERC-20 token.",
  base: "Price without premium, in units of the token; null for renewals.",
  premium: "Premium after grace, in units of the token; null for renewals.",
  duration_seconds: "Seconds purchased.",
  controller: "The controller.",
};

type Column = { name: string; type: string; isRequired: boolean; explanation: string; isCommon: boolean };
type Table = { name: string; explanation: string; key: string[]; columns: Column[] };

/** The schema's comments, by table and by column. */
function readComments(): Map<string, string> {
  const source = ts.createSourceFile(
    "ponder.schema.ts",
    readFileSync(schemaFile, "utf8"),
    ts.ScriptTarget.ES2022,
    true,
  );
  const comments = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const declaration of statement.declarationList.declarations) {
      const table = declaration.name.getText(source);
      comments.set(table, commentOf(statement));
      const visit = (part: ts.Node): void => {
        if (ts.isPropertyAssignment(part))
          comments.set(`${table}.${part.name.getText(source)}`, commentOf(part));
        ts.forEachChild(part, visit);
      };
      if (declaration.initializer) visit(declaration.initializer);
    }
  }
  return comments;
}

const commentOf = (part: ts.Node): string =>
  ts
    .getJSDocCommentsAndTags(part)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? "")
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();

const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toCamelCase = (name: string): string =>
  name.replaceAll(/_[a-z0-9]/g, (letter) => letter.slice(1).toUpperCase());

/** Every table of the index with its columns and their meaning. */
export function readTables(): Table[] {
  const comments = readComments();
  return Object.entries(schema).flatMap(([variable, table]): Table[] => {
    if (!(table instanceof PgTable)) return [];
    const { name, columns, primaryKeys } = getTableConfig(table);
    const keyed = primaryKeys.flatMap((key) => key.columns.map((column) => toSnakeCase(column.name)));
    const own = columns.filter((column) => column.primary).map((column) => toSnakeCase(column.name));
    return [
      {
        name,
        explanation: comments.get(variable) ?? "",
        key: [...keyed, ...own],
        columns: columns.map((column) => {
          const name = toSnakeCase(column.name);
          const comment = comments.get(`${variable}.${toCamelCase(name)}`);
          return {
            name,
            type: column.getSQLType(),
            isRequired: column.notNull,
            explanation: comment || (common[name] ?? ""),
            isCommon: !comment,
          };
        }),
      },
    ];
  });
}

/** The prefix of comments on internal tables. */
const NOTES = "For the indexer:";

/** The data dictionary of docs/analysts.md. */
export function writeDictionary(): string {
  const tables = readTables();
  const documented = tables.filter(({ explanation }) => !explanation.startsWith(NOTES));
  const notes = tables.filter((table) => !documented.includes(table));
  const shared = sharedColumns(documented);
  return [
    `Internal tables of the indexer, which may change at any time: ${listOf(notes.map(({ name }) => name))}.`,
    ["### Shared columns", "", "These mean the same in several tables:", "", ...sharedLines(shared)].join(
      "\n",
    ),
    ...documented.map((table) => section(table, shared)),
  ].join("\n\n");
}

/** Types of columns that several tables share without a comment of their own, by name. */
function sharedColumns(tables: Table[]): Map<string, Set<string>> {
  const all = tables.flatMap(({ columns }) => columns.filter(({ isCommon }) => isCommon));
  const named = Map.groupBy(all, ({ name }) => name);
  const shared = [...named].filter(([, columns]) => columns.length > 1);
  return new Map(shared.map(([name, columns]) => [name, new Set(columns.map(({ type }) => type))]));
}

const sharedLines = (shared: Map<string, Set<string>>): string[] =>
  Object.entries(common)
    .filter(([name]) => shared.has(name))
    .map(([name, meaning]) => `- \`${name}\` (${[...(shared.get(name) ?? [])].join(" or ")}): ${meaning}`);

function section(
  { name, explanation, key, columns }: Table,
  shared: ReadonlyMap<string, Set<string>>,
): string {
  const isShared = (column: Column) => column.isCommon && shared.has(column.name);
  const others = columns
    .filter(isShared)
    .map((column) => `\`${column.name}\`${column.isRequired ? "" : " (null)"}`);
  const own = columns
    .filter((column) => !isShared(column))
    .map((column) => `- \`${column.name}\` (${typeOf(column)}): ${column.explanation}`);
  return [
    `### ${name}`,
    "",
    explanation,
    "",
    `Key: ${listOf(key)}.${others.length > 0 ? ` Shared columns: ${others.join(", ")}.` : ""}`,
    ...(own.length > 0 ? ["", ...own] : []),
  ].join("\n");
}

const typeOf = ({ type, isRequired }: Column): string => (isRequired ? type : `${type}, null`);

const listOf = (names: string[]): string => names.map((name) => `\`${name}\``).join(", ");
