import { type Hex, zeroAddress } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import { DEFAULT_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../../ens/coinType.ts";
import type { Ctx } from "../../server/http/context.ts";
import { type AddressRow, listAddresses, listAddressesAt } from "../query/primaryNames.ts";
import type { ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { type RecordsKey, recordsOf } from "./ensv2/records.ts";
import type { IndexedNames } from "./indexedName.ts";
import { type ResolversAbove, readIndexed, readResolversAbove } from "./nameFacts.ts";

/** What the index has of names: of each its state, its address records, and the resolvers above one without resolver. */
export type AddressFacts = {
  found: IndexedNames;
  above: ReadonlyMap<Hex, ResolversAbove>;
  records: ReadonlyMap<Hex, readonly AddressRow[]>;
};

/** Reads it of names, with their addresses of these coin types. */
export async function readNames(
  ctx: Ctx,
  { names, coinTypes }: { names: readonly ParsedName[]; coinTypes: readonly bigint[] },
): Promise<AddressFacts> {
  const { chainId } = ctx.contracts;
  const nodes = [...new Set(names.map(({ node }) => node))];
  const [found, rows] = await Promise.all([
    readIndexed(ctx, names),
    listAddresses(ctx.db, { chainId, nodes, coinTypes }),
  ]);
  const states = [...found.values()].map(({ state }) => state);
  const bare = names.filter(({ node }) => !found.get(node)?.state.resolver);
  const [above, ofLayer2, ofEnsv2] = await Promise.all([
    readResolversAbove(ctx, bare),
    listAddressesOfLayer2(ctx, { states, coinTypes }),
    listAddressesOfEnsv2(ctx, { states, coinTypes }),
  ]);
  return {
    found,
    above: new Map([...above].map(([{ node }, resolvers]) => [node, resolvers])),
    records: new Map<Hex, readonly AddressRow[]>([
      ...Map.groupBy(rows, ({ node }) => node),
      ...ofLayer2,
      ...ofEnsv2,
    ]),
  };
}

type AddressesOf = { states: readonly DomainState[]; coinTypes: readonly bigint[] };

/** Address records of the names for which a row of a layer 2 answers. */
async function listAddressesOfLayer2(
  { db, contracts }: Ctx,
  { states, coinTypes }: AddressesOf,
): Promise<Map<Hex, AddressRow[]>> {
  const elsewhere = states.filter(({ chainId }) => contracts.managed.some((one) => one.chainId === chainId));
  const byChain = [...Map.groupBy(elsewhere, ({ chainId }) => chainId)];
  const rows = await Promise.all(
    byChain.map(([chainId, some]) =>
      listAddresses(db, { chainId, nodes: some.map(({ node }) => node), coinTypes }),
    ),
  );
  const found = new Map<Hex, AddressRow[]>(elsewhere.map(({ node }) => [node, []]));
  for (const row of rows.flat()) found.get(row.node)?.push(row);
  return found;
}

/** Address records of names of ENSv2. */
async function listAddressesOfEnsv2(
  { db, contracts: { chainId } }: Ctx,
  { states, coinTypes }: AddressesOf,
): Promise<Map<Hex, AddressRow[]>> {
  const asked = states.flatMap((state) => {
    const key = state.ensv2?.protocol === "ensv2" ? recordsOf(state) : null;
    return key ? [{ node: state.node, key }] : [];
  });
  const rows = await listAddressesAt(db, { chainId, records: asked.map(({ key }) => key), coinTypes });
  return new Map(
    asked.map(({ node, key }) => [
      node,
      rows.filter((row) => row.resolver === key.resolver && row.node === key.node),
    ]),
  );
}

/**
 * The addresses on Ethereum of names whose records the index has, in their order; null for a name without. All are read by a
 * statement for each chain.
 */
export async function listIndexedAddresses(
  { db, contracts }: Ctx,
  states: readonly DomainState[],
): Promise<(Hex | null)[]> {
  const coinTypes = [ETHEREUM_COIN_TYPE, DEFAULT_COIN_TYPE];
  const keys = states.map(recordsOf);
  const byChain = Map.groupBy(
    keys.flatMap((key) => key ?? []),
    ({ chainId }) => chainId,
  );
  const rows = await Promise.all(
    [...byChain].map(async ([chainId, records]) =>
      (await listAddressesAt(db, { chainId, records, coinTypes })).map((row) => ({ ...row, chainId })),
    ),
  );
  const textOf = (key: RecordsKey) => `${key.chainId} ${key.resolver} ${key.node}`;
  const rowsOf = Map.groupBy(rows.flat(), textOf);
  return states.map(({ node }, i) => {
    const key = keys[i];
    if (!key) return null;
    const address = addressOf(rowsOf.get(textOf(key)) ?? [], {
      coinType: ETHEREUM_COIN_TYPE,
      hasDefault: hasDefaultAddress(node, key, contracts),
    });
    return address === zeroAddress ? null : address;
  });
}

/** Resolvers of ENSv2 whose records have numbers answer the default address, and some of ENSv1 do. */
export const hasDefaultAddress = (node: Hex, key: RecordsKey, contracts: Contracts): boolean =>
  key.node !== node || contracts.answersDefaultAddress(key.resolver, key.chainId);

/** The address record of a coin type. Resolvers with ENSIP-19 answer the default address if there is none. */
export function addressOf(
  rows: readonly AddressRow[],
  { coinType, hasDefault }: { coinType: bigint; hasDefault: boolean },
): Hex | null {
  const record = (of: bigint) => rows.find((row) => row.coinType === of)?.address ?? null;
  const own = record(coinType);
  return own === null && hasDefault ? record(DEFAULT_COIN_TYPE) : own;
}
