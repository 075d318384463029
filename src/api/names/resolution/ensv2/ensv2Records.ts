import type { Address, Hex } from "viem";
import { ROOT_NODE } from "../../../../ens/name.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { type Link, listDisplayTexts, listLinks, type NameAtResolver } from "../../query/ensv2.ts";
import type { DomainState } from "../domainState.ts";
import { type IndexedNames, withStates } from "../indexedName.ts";

/** Finds the record numbers of names at ENSv2 resolvers, and the `display` texts there. */
export async function withRecords(
  { db, contracts: { chainId } }: Ctx,
  found: IndexedNames,
): Promise<IndexedNames> {
  const requested = [...found].flatMap(([node, { state }]) => {
    const records = state.ensv2?.records;
    return records?.kind === "byNumber" ? [{ resolver: records.resolver, node }] : [];
  });
  if (requested.length === 0) return found;
  const resolvers = [...new Set(requested.map(({ resolver }) => resolver))];
  const roots = resolvers.map((resolver) => ({ resolver, node: ROOT_NODE }));
  const links = await listLinks(db, { chainId, names: [...requested, ...roots] });
  const recordOf = recordsIn(links);
  const numbered = requested.flatMap((name) => {
    const record = recordOf(name);
    return record ? [{ ...name, record }] : [];
  });
  const texts = await listDisplayTexts(db, {
    chainId,
    records: numbered.map(({ resolver, record }) => ({ resolver, node: record })),
  });
  const textOf = new Map(texts.map(({ text, ...key }) => [keyOf(key), text]));
  const byNode = new Map(numbered.map((one) => [one.node, one]));
  return withStates(found, (state) => {
    const one = byNode.get(state.node);
    if (one === undefined || state.ensv2 === undefined) return state;
    const { resolver, record } = one;
    const displayText = textOf.get(keyOf({ resolver, node: record })) ?? null;
    return {
      ...state,
      displayText,
      ensv2: { ...state.ensv2, records: { kind: "byNumber", resolver, record } },
    };
  });
}

const keyOf = ({ resolver, node }: NameAtResolver): string => `${resolver} ${node}`;

/**
 * A name without a link has the record linked to the root name.
 * Source: ensdomains/contracts-v2, src/resolver/PermissionedResolver.sol, `getRecordId`.
 */
function recordsIn(links: readonly Link[]): (name: NameAtResolver) => Hex | null {
  const recordAt = new Map(links.map((link) => [keyOf(link), link.record]));
  return ({ resolver, node }) =>
    recordAt.get(keyOf({ resolver, node })) ?? recordAt.get(keyOf({ resolver, node: ROOT_NODE })) ?? null;
}

/** The key of records in the index. */
export type RecordsKey = { chainId: number; resolver: Address; node: Hex };

/**
 * The key of a name's records in the index, if the index answers for its resolver; null if the name has none. Of the resolvers
 * above a name, those of ENSv2 answer for it; those that store records by node do not (ENSIP-10).
 */
export function recordsOf({ chainId, resolver, node, ensv2 }: DomainState): RecordsKey | null {
  const records = ensv2?.records;
  switch (records?.kind) {
    case "nowhere":
    case "chain":
      return null;
    case "byNumber":
      return records.record && { chainId, resolver: records.resolver, node: records.record };
    default:
      return resolver && { chainId, resolver, node };
  }
}
