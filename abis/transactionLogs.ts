import { type Address, type Hex, namehash, toEventSelector } from "viem";
import { type ChainDeployment, listContracts, type Role } from "./deployments.ts";
import { registryAbi } from "./registry.ts";
import { resolverUnindexedKeyAbi } from "./resolver.ts";

type LogQuery = { address: Address[]; topics: [Hex[], Hex[] | null, null, null] };

const [newOwner] = registryAbi;
const [textWithoutValue] = resolverUnindexedKeyAbi;

/**
 * Logs of the main chain among which are all whose handlers need their transactions (src/indexing/neededTransactions.ts). A source
 * that gives transactions with logs is asked for them by these.
 */
export function logsWithTransactions(chain: ChainDeployment): LogQuery[] {
  const of = (role: Role): Address[] =>
    listContracts(chain, role).map(({ address }) => address.toLowerCase() as Address);
  return [
    {
      address: of("registry"),
      topics: [[toEventSelector(newOwner)], [namehash("addr.reverse")], null, null],
    },
    { address: of("resolver"), topics: [[toEventSelector(textWithoutValue)], null, null, null] },
  ];
}
