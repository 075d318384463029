import type { LocalChain } from "../../devnet/localChain.ts";
import type { Stack } from "../support/stack.ts";
import { knownOf, type Of } from "./clientNames.ts";
import { ofAccount } from "./clientsOfAccounts.ts";
import { ofLists } from "./clientsOfLists.ts";
import { ofName } from "./clientsOfNames.ts";
import { everyOne } from "./judge.ts";
import { show, type Verdict } from "./oracle.ts";
import { readSubgraphLogs } from "./subgraphLogs.ts";
import { askSubgraph, type SubgraphNames } from "./subgraphNames.ts";

/**
 * Queries of existing programs to the subgraph, in their own shapes, about every name and account of a random history. The
 * expected answers come from contract reads and logs. judgeByEnsjs.ts covers ENS's own library.
 */
export async function judgeByClients(
  { url }: Pick<Stack, "url">,
  local: LocalChain,
  names: SubgraphNames,
): Promise<Verdict> {
  const { chain } = local;
  const logs = await readSubgraphLogs(local);
  const all = await Promise.all(names.expected.map((one) => knownOf(one, logs, chain)));
  const of: Of = { all, logs };
  const queries = [
    ...chain.accounts.flatMap((account) => ofAccount(account.toLowerCase(), of)),
    ...all.flatMap((one) => ofName(one, of)),
    ...ofLists(all),
  ];
  const differences: string[] = [];
  await everyOne(queries, async ({ query, variables, expected }) => {
    const data = await askSubgraph<Record<string, unknown>>(url, query, variables);
    const [said, wanted] = [JSON.stringify(data), JSON.stringify(expected)];
    if (said !== wanted)
      differences.push(
        `clients: ${query} ${JSON.stringify(variables)}: answered ${show(said)}, chain says ${show(wanted)}`,
      );
  });
  return { differences, counts: { queriesOfClients: queries.length } };
}
