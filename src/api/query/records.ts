import { addressRecord, event, resolverChange, resolverNode, textRecord } from "ponder:schema";
import { and, asc, desc, eq, inArray, isNotNull, isNull, max, or, sql } from "ponder";
import { type Address, type Hex, keccak256, stringToBytes } from "viem";
import type { Db } from "../context.ts";

/** Which records: those of a node at one resolver. */
export type RecordsOf = { chainId: number; resolver: Address; node: Hex };

export type TextRow = typeof textRecord.$inferSelect;
export type AddressRow = typeof addressRecord.$inferSelect;

/** Version and contenthash of a node at a resolver; a resolver where nothing was ever set is at version 0. */
export async function findResolverNode(db: Db, { chainId, resolver, node }: RecordsOf) {
  const [row] = await db
    .select({ version: resolverNode.version, contenthash: resolverNode.contenthash })
    .from(resolverNode)
    .where(
      and(
        eq(resolverNode.chainId, chainId),
        eq(resolverNode.resolver, resolver),
        eq(resolverNode.node, node),
      ),
    );
  return row ?? { version: 0, contenthash: null };
}

const textsIn = ({ chainId, resolver, node, version }: RecordsOf & { version: number }) =>
  and(
    eq(textRecord.chainId, chainId),
    eq(textRecord.resolver, resolver),
    eq(textRecord.node, node),
    eq(textRecord.version, version),
  );

/** Text records in force that have a value, or one that only the chain knows; by key. */
export const listTexts = (db: Db, of: RecordsOf & { version: number }): Promise<TextRow[]> =>
  db
    .select()
    .from(textRecord)
    .where(and(textsIn(of), or(isNotNull(textRecord.value), eq(textRecord.isValueKnown, false))))
    .orderBy(asc(textRecord.key), asc(textRecord.keyHash));

/** A text record in force, cleared ones too; null if the key was never set. */
export async function findText(
  db: Db,
  of: RecordsOf & { version: number },
  key: string,
): Promise<TextRow | null> {
  const keyHash = keccak256(stringToBytes(key));
  const [row] = await db
    .select()
    .from(textRecord)
    .where(and(textsIn(of), eq(textRecord.keyHash, keyHash)));
  return row ?? null;
}

/** Address records in force that have a value, by coin type. */
export const listAddresses = (
  db: Db,
  { chainId, resolver, node, version }: RecordsOf & { version: number },
): Promise<AddressRow[]> =>
  db
    .select()
    .from(addressRecord)
    .where(
      and(
        eq(addressRecord.chainId, chainId),
        eq(addressRecord.resolver, resolver),
        eq(addressRecord.node, node),
        eq(addressRecord.version, version),
        isNotNull(addressRecord.address),
      ),
    )
    .orderBy(asc(addressRecord.coinType));

export type ResolverChangeRow = typeof resolverChange.$inferSelect;

/** Every change of a name's resolver, oldest first. */
export const listResolverChanges = (db: Db, { node }: { node: Hex }): Promise<ResolverChangeRow[]> =>
  db
    .select()
    .from(resolverChange)
    .where(eq(resolverChange.node, node))
    .orderBy(asc(resolverChange.blockNumber), asc(resolverChange.logIndex));

/** Every setting of a text record, and every clearing of all records, at whatever resolver; oldest first. */
export function listTextEvents(db: Db, { node, key }: { node: Hex; key: string }) {
  // A key with NUL is no text of PostgreSQL: it stands in the details, for the record to read.
  const ofKey = key.includes("\0") ? isNull(event.key) : eq(event.key, key);
  return db
    .select()
    .from(event)
    .where(
      and(
        eq(event.node, node),
        eq(event.contract, "RESOLVER"),
        or(and(eq(event.eventType, "TextChanged"), ofKey), inArray(event.eventType, ["VersionChanged"])),
      ),
    )
    .orderBy(asc(event.blockNumber), asc(event.logIndex), asc(event.ordinal));
}

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
