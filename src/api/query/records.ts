import { addressRecord, event, resolverChange, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, asc, desc, eq, inArray, isNotNull, isNull, max, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import { keccak256 } from "../../ens/keccak.ts";
import type { Db } from "../context.ts";
import { prepared } from "./prepared.ts";

/** Which records: those of a node at one resolver. */
export type RecordsOf = { chainId: number; resolver: Address; node: Hex };

export type TextRow = typeof textRecord.$inferSelect;
export type AddressRow = typeof addressRecord.$inferSelect;

/** Version and contenthash of a node at a resolver; a resolver where nothing was ever set is at version 0. */
export async function findResolverNode(db: Db, of: RecordsOf) {
  const [row] = await resolverNodeOf(db).execute(of);
  return row ?? { version: 0, contenthash: null };
}

const { placeholder } = sql;

const resolverNodeOf = prepared((db) =>
  db
    .select({ version: resolverNode.version, contenthash: resolverNode.contenthash })
    .from(resolverNode)
    .where(
      and(
        eq(resolverNode.chainId, placeholder("chainId")),
        eq(resolverNode.resolver, placeholder("resolver")),
        eq(resolverNode.node, placeholder("node")),
      ),
    )
    .prepare("resolver_node"),
);

/** The version in force, found by the way: to ask for it first would be another way to the database and back. */
const versionInForce = sql`coalesce((select ${resolverNode.version} from ${resolverNode}
  where ${eq(resolverNode.chainId, placeholder("chainId"))} and ${eq(resolverNode.resolver, placeholder("resolver"))}
    and ${eq(resolverNode.node, placeholder("node"))}), 0)`;

const isTextInForce = and(
  eq(textRecord.chainId, placeholder("chainId")),
  eq(textRecord.resolver, placeholder("resolver")),
  eq(textRecord.node, placeholder("node")),
  eq(textRecord.version, versionInForce),
);

/** Text records in force that have a value, or one that only the chain knows; by key. */
export const listTexts = (db: Db, of: RecordsOf): Promise<TextRow[]> => textsOf(db).execute(of);

const textsOf = prepared((db) =>
  db
    .select()
    .from(textRecord)
    .where(and(isTextInForce, or(isNotNull(textRecord.value), sql`not ${textRecord.isValueKnown}`)))
    .orderBy(asc(textRecord.key), asc(textRecord.keyHash))
    .prepare("texts"),
);

/** A text record in force, cleared ones too; null if the key was never set. */
export async function findText(db: Db, of: RecordsOf, key: string): Promise<TextRow | null> {
  const [row] = await textOf(db).execute({ ...of, keyHash: keccak256(key) });
  return row ?? null;
}

const textOf = prepared((db) =>
  db
    .select()
    .from(textRecord)
    .where(and(isTextInForce, eq(textRecord.keyHash, placeholder("keyHash"))))
    .prepare("text"),
);

/** Address records in force that have a value, by coin type. */
export const listAddresses = (db: Db, of: RecordsOf): Promise<AddressRow[]> => addressesOf(db).execute(of);

const addressesOf = prepared((db) =>
  db
    .select()
    .from(addressRecord)
    .where(
      and(
        eq(addressRecord.chainId, placeholder("chainId")),
        eq(addressRecord.resolver, placeholder("resolver")),
        eq(addressRecord.node, placeholder("node")),
        eq(addressRecord.version, versionInForce),
        isNotNull(addressRecord.address),
      ),
    )
    .orderBy(asc(addressRecord.coinType))
    .prepare("addresses"),
);

export type ResolverChangeRow = typeof resolverChange.$inferSelect;

/** Every change of a name's resolver, oldest first. */
export const listResolverChanges = (db: Db, { node }: { node: Hex }): Promise<ResolverChangeRow[]> =>
  resolverChangesOf(db).execute({ node });

const resolverChangesOf = prepared((db) =>
  db
    .select()
    .from(resolverChange)
    .where(eq(resolverChange.node, placeholder("node")))
    .orderBy(asc(resolverChange.blockNumber), asc(resolverChange.logIndex))
    .prepare("resolver_changes"),
);

/** Every setting of a text record, and every clearing of all records, at whatever resolver; oldest first. */
export const listTextEvents = (db: Db, { node, key }: { node: Hex; key: string }) =>
  // A key with NUL is no text of PostgreSQL: it stands in the details, for the record to read.
  key.includes("\0")
    ? textEventsWithoutKey(db).execute({ node })
    : textEventsOfKey(db).execute({ node, key });

const textEventsOfKey = prepared((db) =>
  textEvents(db, eq(event.key, placeholder("key"))).prepare("text_events"),
);

const textEventsWithoutKey = prepared((db) =>
  textEvents(db, isNull(event.key)).prepare("text_events_without_key"),
);

const textEvents = (db: Db, isOfKey: SQL) =>
  db
    .select()
    .from(event)
    .where(
      and(
        eq(event.node, placeholder("node")),
        eq(event.contract, "RESOLVER"),
        or(and(eq(event.eventType, "TextChanged"), isOfKey), inArray(event.eventType, ["VersionChanged"])),
      ),
    )
    .orderBy(asc(event.blockNumber), asc(event.logIndex), asc(event.ordinal));

/** Keys and coin types asked of the chain are as many as fit into one call: those set last. */
const MAX_KNOWN_KEYS = 60;
const MAX_KNOWN_COINS = 20;

/** Resolvers that a name ever had: of others, events on its node are strangers' words. */
const isOwnResolver = (column: typeof textRecord.resolver | typeof addressRecord.resolver, node: Hex) =>
  inArray(
    column,
    sql`(select ${resolverChange.resolver} from ${resolverChange} where ${resolverChange.node} = ${node})`,
  );

/** Keys of texts and coin types of addresses that were ever set for a name at a resolver of its own. */
export async function listKnownRecords(db: Db, { chainId, node }: { chainId: number; node: Hex }) {
  const [texts, coins] = await Promise.all([
    db
      .select({ key: textRecord.key })
      .from(textRecord)
      .where(
        and(
          eq(textRecord.chainId, chainId),
          eq(textRecord.node, node),
          isNull(textRecord.exact),
          isOwnResolver(textRecord.resolver, node),
        ),
      )
      .groupBy(textRecord.key)
      .orderBy(desc(max(textRecord.blockNumber)), asc(textRecord.key))
      .limit(MAX_KNOWN_KEYS),
    db
      .select({ coinType: addressRecord.coinType })
      .from(addressRecord)
      .where(
        and(
          eq(addressRecord.chainId, chainId),
          eq(addressRecord.node, node),
          isOwnResolver(addressRecord.resolver, node),
        ),
      )
      .groupBy(addressRecord.coinType)
      .orderBy(desc(max(addressRecord.blockNumber)), asc(addressRecord.coinType))
      .limit(MAX_KNOWN_COINS),
  ]);
  return { keys: texts.map(({ key }) => key), coinTypes: coins.map(({ coinType }) => coinType) };
}
