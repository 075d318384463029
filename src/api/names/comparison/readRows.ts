import type { Contracts } from "../../../../abis/contracts.ts";
import { managedNameOf } from "../../../ens/managedNames.ts";
import type { Queries } from "../../server/postgres/client.ts";
import { reverseNode } from "../schemas/input.ts";
import type { StoredRows } from "./listChecks.ts";
import { commonRecords } from "./recordChecks.ts";
import { type Claim, type Keys, type RecordKey, readClaims, readDomains, readRecords } from "./stored.ts";

type Reach = Queries & {
  contracts: Contracts;
  /** The block to compare; null if it is the one that the tables are of. */
  at: number | null;
};

/** The rows to compare: those of the keys, and the records read for every name. */
export async function readRows(keys: Keys, { query, contracts, at }: Reach): Promise<StoredRows> {
  const { chainId, isIndexedResolver } = contracts;
  const reach = { query, chainId, at };
  const domains = await readDomains(
    reach,
    distinct(
      [
        ...keys.nodes,
        ...keys.claims
          .filter((claim) => claim.chainId === chainId && isOfReverseNode(claim))
          .map(toReverseNode),
      ],
      ({ node }) => node,
    ),
  );
  const common = domains.flatMap((domain) => commonRecords(domain, isIndexedResolver));
  return {
    domains,
    records: await readRecords(reach, distinct([...keys.records, ...common], identify)),
    claims: await readClaims(
      reach,
      distinct(keys.claims, ({ address, coinType }) => `${address} ${coinType}`),
    ),
  };
}

/** On a layer 2 no node names an address. */
const isOfReverseNode = ({ coinType, chainId }: Claim): boolean =>
  coinType === 60 && managedNameOf(chainId) === undefined;
const toReverseNode = ({ address, kind }: Claim) => ({ node: reverseNode(address), kind });

/** A text may be there by its key and by its hash: then it is compared twice. */
const identify = ({ kind: _, ...record }: RecordKey): string => JSON.stringify(Object.values(record));

/** The first of each. */
const distinct = <Item>(items: readonly Item[], identify: (item: Item) => string): Item[] =>
  [...new Map(items.toReversed().map((item) => [identify(item), item])).values()].toReversed();
