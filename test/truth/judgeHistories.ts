import type { Log } from "./chainLogs.ts";
import type { Judge } from "./judge.ts";
import type { Answered } from "./judgeMoments.ts";
import { type Ledger, spansOf } from "./ledger.ts";
import { plain, type Row } from "./oracle.ts";

/** A span as in answers, with addresses in lower case. */
const spanOf = ({ value, from, to }: { value: string; from: Log; to: Log | null }) => ({
  address: value,
  from_block: from.blockNumber,
  from_tx: from.transactionHash,
  to_block: to?.blockNumber ?? null,
  to_tx: to?.transactionHash ?? null,
});

const answeredSpans = (spans: unknown): Row[] =>
  ((spans ?? []) as Row[]).map(({ address, from_block, from_tx, to_block, to_tx }) => ({
    address: plain(address),
    from_block,
    from_tx,
    to_block,
    to_tx,
  }));

/** The owners of a name, by all layers together and by each; afterwards compared with the contracts. */
export async function readOwners({ get, same }: Judge, name: Omit<Answered, "answer">): Promise<Answered> {
  const { path, ledger } = name;
  const answer = await get(`/domain/${path}/ownership-history?audit=true`);
  for (const { event_type, from_tx } of (answer.history ?? []) as Row[]) {
    if (from_tx === null) continue;
    const names = ledger.logs.filter((log) => log.transactionHash === from_tx).map((log) => log.eventName);
    if (!names.includes(String(event_type))) same(`event of ${path} in ${from_tx}`, event_type, names);
  }
  return { ...name, answer };
}

/** The resolvers that a name had. */
export async function judgeResolvers({ get, same }: Judge, path: string, { resolvers }: Ledger) {
  const { history } = await get(`/domain/${path}/resolver-history`);
  // Only the last of several changes in one transaction counts.
  const settled = resolvers.filter(
    ({ log }, i) => resolvers[i + 1]?.log.transactionHash !== log.transactionHash,
  );
  same(`resolvers of ${path}`, answeredSpans(history), spansOf(settled, (resolver) => resolver).map(spanOf));
}
