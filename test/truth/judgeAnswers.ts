import { listClaims } from "./claims.ts";
import { type AnswersTrial, everyOne, openJudge } from "./judge.ts";
import { judgeActivity } from "./judgeActivity.ts";
import { judgeAddresses } from "./judgeAddresses.ts";
import { judgeAdoption } from "./judgeAdoption.ts";
import { judgeCounts } from "./judgeCounts.ts";
import { judgeDistribution } from "./judgeDistribution.ts";
import { judgeResolvers, readOwners } from "./judgeHistories.ts";
import { judgeHolders } from "./judgeHolders.ts";
import { type Answered, judgeMoments } from "./judgeMoments.ts";
import { judgePermissions } from "./judgePermissions.ts";
import { judgePurchases } from "./judgePurchases.ts";
import { judgeRelations } from "./judgeRelations.ts";
import { judgeRegistrations } from "./judgeSales.ts";
import { judgeSearch } from "./judgeSearch.ts";
import { judgeStates } from "./judgeStates.ts";
import { judgeTexts } from "./judgeTexts.ts";
import { pathOf } from "./ledger.ts";
import { listNamesNow } from "./namesNow.ts";
import type { Verdict } from "./oracle.ts";

/**
 * Compares the histories and counts that the API answers with those computed from the chain's logs, read in order by the shortest
 * rules. Names are requested by the hashes of their labels, so that odd ones are no exception.
 */
export async function judgeAnswers(trial: AnswersTrial): Promise<Verdict> {
  const { judge, verdict } = await openJudge(trial);
  const owners: Answered[] = [];
  await everyOne([...judge.ledgers], async ([node, ledger]) => {
    const path = pathOf(node, judge.ledgers);
    if (path === null || path === "") return;
    owners.push(await readOwners(judge, { node, path, ledger }));
    await judgeResolvers(judge, path, ledger);
    await judgeRegistrations(judge, path, ledger);
    await judgeTexts(judge, path, ledger);
    await judgeAddresses(judge, { node, path, ledger });
  });
  await judgePermissions(judge);
  await judgeMoments(judge, owners);
  await judgeHolders(judge);
  await judgeRelations(judge);
  const names = listNamesNow(judge);
  await judgeStates(judge, [...names.values()]);
  await judgeCounts(judge, [...names.values()]);
  await judgePurchases(judge);
  await judgeDistribution(judge, names);
  await judgeSearch(judge, [...names.values()]);
  const claims = await listClaims(judge);
  await judgeAdoption(judge, { names: [...names.values()], claims });
  await judgeActivity(judge, { names, claims });
  return verdict;
}
