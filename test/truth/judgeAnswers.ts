import type { Hex } from "viem";
import { type Argument, type Log, readLogged, shownText, type TextBytes } from "./chainLogs.ts";
import { request } from "./chainReads.ts";
import { listClaims } from "./claims.ts";
import { judgeActivity } from "./judgeActivity.ts";
import { judgeAdoption } from "./judgeAdoption.ts";
import { judgeCounts } from "./judgeCounts.ts";
import { judgeDistribution } from "./judgeDistribution.ts";
import { judgePurchases } from "./judgePurchases.ts";
import { judgeSearch } from "./judgeSearch.ts";
import { keepLedgers, type Ledger, ownerOf, pathOf, spansOf, valueSent } from "./ledger.ts";
import { revealedLabels } from "./names.ts";
import { listNamesNow } from "./namesNow.ts";
import { contractOf, plain, type Row, show, type Trial, type Verdict } from "./oracle.ts";
import { findPresent, type Present } from "./present.ts";

/** What is judged: the answers of an API whose index has reached the head of its chain. */
export type AnswersTrial = Pick<Trial, "rpcUrl" | "deployment"> & {
  api: (path: string) => Promise<{ status: number; body: unknown }>;
};

/** What every part of the judgement shares. */
export type Judge = {
  get: (path: string) => Promise<Row>;
  same: (what: string, answered: unknown, expected: unknown) => void;
  /** Whether the index answers for a resolver alone. */
  isIndexed: (resolver: Hex | null) => boolean;
  rpcUrl: string;
  deployment: Trial["deployment"];
  logs: readonly Log[];
  ledgers: Map<Hex, Ledger>;
  /** Labels that some log spells out, by hash. */
  revealed: Map<Hex, string>;
  transactions: Awaited<ReturnType<typeof readLogged>>["transactions"];
  wrapper: Hex | undefined;
  /** The time by which the API judges expiries. */
  now: bigint;
  /** What each name is at that time. */
  present: Map<Hex, Present>;
};

/** Questions that are asked at once. */
const ASKED_AT_ONCE = 8;

/**
 * Compares the histories and counts that the API answers with those that the chain's logs tell when they are read in
 * order by the shortest rules. Names are asked for by the hashes of their labels, so that odd ones are no exception.
 */
export async function judgeAnswers({ rpcUrl, deployment, api }: AnswersTrial): Promise<Verdict> {
  const differences: string[] = [];
  const counts: Record<string, number> = {};
  const { logs, transactions } = await readLogged(rpcUrl, deployment);
  const head = await request<{ timestamp: Hex }>(rpcUrl, "eth_getBlockByNumber", ["latest", false]);
  const now = [BigInt(head.timestamp), BigInt(Math.floor(Date.now() / 1_000))].reduce((a, b) =>
    a > b ? a : b,
  );
  const ledgers = keepLedgers(logs, { deployment });
  const wrapper = contractOf({ deployment }, "wrapper")?.address.toLowerCase() as Hex | undefined;
  const listed: (string | null)[] = deployment.contracts
    .filter((entry) => entry.static)
    .map((entry) => entry.address.toLowerCase());
  const judge: Judge = {
    get: async (path) => {
      const { status, body } = await api(path);
      counts.answers = (counts.answers ?? 0) + 1;
      if (status !== 200) differences.push(`${path}: ${status} ${JSON.stringify(body)}`);
      return body as Row;
    },
    same: (what, answered, expected) => {
      counts.values = (counts.values ?? 0) + 1;
      const [said, wanted] = [JSON.stringify(answered), JSON.stringify(expected)];
      if (said !== wanted) differences.push(`${what}: answered ${show(said)}, chain says ${show(wanted)}`);
    },
    isIndexed: (resolver) => listed.includes(resolver),
    ...{ rpcUrl, deployment, logs, ledgers, transactions, wrapper, now },
    revealed: revealedLabels(logs, (log) => transactions.get(log.transactionHash)?.from),
    present: await findPresent(ledgers, { rpcUrl, wrapper, now }),
  };
  await everyOne([...judge.ledgers], ([node, ledger]) => judgeName(judge, node, ledger));
  await judgeHolders(judge);
  await judgeCounts(judge);
  const names = listNamesNow(judge);
  await judgePurchases(judge);
  await judgeDistribution(judge, names);
  await judgeSearch(judge, [...names.values()]);
  const claims = await listClaims(judge);
  await judgeAdoption(judge, { names: [...names.values()], claims });
  await judgeActivity(judge, { names, claims });
  return { differences, counts };
}

async function everyOne<T>(items: readonly T[], judgeOne: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await judgeOne(item);
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work));
}

async function judgeName(judge: Judge, node: Hex, ledger: Ledger): Promise<void> {
  const path = pathOf(node, judge.ledgers);
  if (path === null || path === "") return;
  await judgeOwners(judge, path, ledger);
  await judgeResolvers(judge, path, ledger);
  await judgeRegistrations(judge, path, ledger);
  if (!judge.isIndexed(ledger.resolvers.at(-1)?.state ?? null)) return; // The chain has a word in such a text.
  for (const key of keysOf(ledger)) await judgeText(judge, path, ledger, key);
}

/** A span as answers show it, addresses in lower case. */
const spanOf = ({ value, from, to }: { value: string; from: Log; to: Log | null }) => ({
  address: value,
  from_block: from.blockNumber,
  from_tx: from.transactionHash,
  to_block: to?.blockNumber ?? null,
  to_tx: to?.transactionHash ?? null,
});

const answeredSpans = (spans: unknown): Row[] =>
  ((spans ?? []) as Row[]).map(({ address, from_block, from_tx, to_block, to_tx }) => ({
    ...{ address: plain(address), from_block, from_tx, to_block, to_tx },
  }));

async function judgeOwners({ get, same, wrapper }: Judge, path: string, ledger: Ledger) {
  const answer = await get(`/domain/${path}/ownership-history?audit=true`);
  const spans = spansOf(ledger.owners, (owners) => {
    const found = ownerOf(owners, ledger, wrapper);
    return found && `${found.owner} ${found.reason}`;
  });
  const history = (answer.history ?? []) as Row[];
  same(
    `owners of ${path}`,
    answeredSpans(history).map((span, i) => ({ ...span, address: `${span.address} ${history[i]?.reason}` })),
    spans.map(spanOf),
  );
  for (const layer of ["registry", "registrar", "wrapper"] as const) {
    const expected = spansOf(ledger.owners, (owners) => owners[layer]).map(spanOf);
    same(`${layer} owners of ${path}`, answeredSpans(answer[layer]), expected);
  }
  for (const { event_type, from_tx } of history) {
    const names = ledger.logs.filter((log) => log.transactionHash === from_tx).map((log) => log.eventName);
    if (!names.includes(String(event_type))) same(`event of ${path} in ${from_tx}`, event_type, names);
  }
}

async function judgeResolvers({ get, same }: Judge, path: string, { resolvers }: Ledger) {
  const { history } = await get(`/domain/${path}/resolver-history`);
  // Of several changes in one transaction the last counts.
  const settled = resolvers.filter(
    ({ log }, i) => resolvers[i + 1]?.log.transactionHash !== log.transactionHash,
  );
  same(`resolvers of ${path}`, answeredSpans(history), spansOf(settled, (resolver) => resolver).map(spanOf));
}

const registrations = ["HashRegistered", "NameRegistered", "NameMigrated"];
const renewals = ["NameRenewed", "RenewalReferred"];
const sellers = ["registrar", "controller", "renewal-referrer"];

async function judgeRegistrations(judge: Judge, path: string, { logs }: Ledger) {
  const answer = await judge.get(`/domain/${path}/registration-history`);
  for (const [kind, names] of [
    ["registrations", registrations],
    ["renewals", renewals],
  ] as const) {
    const told = logs.filter((log) => sellers.includes(log.role) && names.includes(log.eventName));
    const byTransaction = new Map<Hex, Log[]>();
    for (const log of told)
      byTransaction.set(log.transactionHash, [...(byTransaction.get(log.transactionHash) ?? []), log]);
    const entries = (answer[kind] ?? []) as Row[];
    const seen = entries.map((entry) => [entry.transaction_hash, entry.block_number]);
    judge.same(
      `${kind} of ${path}`,
      seen,
      [...byTransaction].map(([hash, [log]]) => [hash, log?.blockNumber]),
    );
    for (const [i, group] of [...byTransaction.values()].entries())
      judgeSale(judge, `${kind} ${i} of ${path}`, entries[i] ?? {}, group);
  }
}

/** Expiry and buyer of a sale exactly; its price exactly where the logs tell it, else at least as an upper bound. */
function judgeSale({ same, transactions }: Judge, what: string, entry: Row, logs: Log[]) {
  const registrars = logs.filter(
    ({ role, entry: contract }) => role === "registrar" && contract?.generation !== 0,
  );
  const controllers = logs.filter(({ role }) => role === "controller");
  const expiry = registrars.at(-1)?.args.expires ?? controllers.at(-1)?.args.expires ?? null;
  same(`${what}, expiry`, entry.expiry_timestamp, plain(expiry));
  const told = controllers.at(-1) ?? logs.filter(({ role }) => role === "registrar").at(-1);
  const owner = told?.args.owner ?? registrars.at(-1)?.args.owner ?? null;
  same(`${what}, buyer`, plain(entry.owner_address), plain(owner));
  const paid = (controllers.length > 0 ? controllers : logs).map(({ args }) => priceOf(args));
  const total = paid.reduce<bigint | null>(
    (sum, price) => (price === null ? sum : (sum ?? 0n) + price),
    null,
  );
  const isBound = controllers.some(
    ({ entry: contract, eventName }) => contract?.generation === 4 && eventName === "NameRenewed",
  );
  if (!isBound) return same(`${what}, price`, entry.cost_wei, plain(total));
  const sent = logs[0] === undefined ? 0n : valueSent(logs[0], transactions);
  const isWithin = BigInt(String(entry.cost_wei)) <= (total ?? 0n) && BigInt(String(entry.cost_wei)) <= sent;
  same(`${what}, price of at most ${sent}`, isWithin, true);
}

function priceOf({ cost, baseCost, premium, value }: Record<string, Argument>): bigint | null {
  if (cost !== undefined) return cost as bigint;
  if (baseCost !== undefined) return (baseCost as bigint) + (premium as bigint);
  return value === undefined ? null : (value as bigint);
}

/** Keys of text records that can be asked for: the API's limit, and bytes that a URL can spell. */
const keysOf = ({ logs }: Ledger): string[] =>
  [
    ...new Set(
      logs
        .filter(({ eventName }) => eventName === "TextChanged")
        .map(({ args }) => shownText(args.key as TextBytes)),
    ),
  ].filter((key) => key !== "" && key.length <= 1_024 && !key.includes("\ufffd"));

/** Logs of a text, clearings and new resolvers in one line; only what the resolver of the moment says counts, if it is an indexed one. */
async function judgeText({ get, same, isIndexed }: Judge, path: string, ledger: Ledger, key: string) {
  const answer = await get(`/domain/${path}/records/text/${encodeURIComponent(key)}/history`);
  const resolverLogs = new Map(ledger.resolvers.map(({ log, state }) => [log, state]));
  const expected: Row[] = [];
  let active: Hex | null = null;
  for (const log of ledger.logs) {
    const place = { block_number: log.blockNumber };
    if (resolverLogs.has(log)) {
      active = resolverLogs.get(log) ?? null;
      if (expected.length > 0) expected.push({ value: null, ...place, source: "resolver_change" });
      continue;
    }
    const isText = log.eventName === "TextChanged" && shownText(log.args.key as TextBytes) === key;
    const isClearing = log.eventName === "VersionChanged" && expected.length > 0;
    if (log.address !== active || !isIndexed(active) || !(isText || isClearing)) continue;
    const said = log.args.value as TextBytes | undefined;
    const value = isClearing ? null : said === undefined ? UNTOLD : shownText(said) || null;
    expected.push({
      value,
      ...place,
      source: "indexed",
      resolver: log.address,
      transaction_hash: log.transactionHash,
    });
  }
  const history = ((answer.history ?? []) as Row[]).toReversed();
  const answered = history.map(({ value, block_number, source, resolver, transaction_hash }, i) => ({
    value: expected[i]?.value === UNTOLD ? UNTOLD : value,
    ...{ block_number, source },
    ...(resolver !== undefined && { resolver: plain(resolver), transaction_hash }),
  }));
  same(`text ${show(key)} of ${path}`, answered, expected);
}

/** Stands for a value that its log does not tell; the records' judge asks the resolver for it. */
const UNTOLD = "(not in the log)";

/** Whom each name ever named as receiver or owner, when last, and whose it is now. */
async function judgeHolders(judge: Judge): Promise<void> {
  const lastNamed = new Map<string, Map<Hex, Log>>();
  for (const [node, { isCounted }] of judge.present) {
    if (!isCounted) continue;
    for (const log of judge.ledgers.get(node)?.logs ?? []) {
      for (const address of namedIn(log)) {
        const named = lastNamed.get(address) ?? new Map<Hex, Log>();
        lastNamed.set(address, named.set(node, log));
      }
    }
  }
  await everyOne([...lastNamed], ([address, named]) => judgeHolder(judge, address, named));
}

/** Receivers and owners that a log names. */
function namedIn({ role, entry, eventName, args }: Log): string[] {
  if (["resolver", "reverse-resolver", "reverse-registrar"].includes(role)) return [];
  if (role === "registrar" && entry?.generation === 0 && eventName !== "HashRegistered") return [];
  if (eventName.startsWith("Approval") || eventName === "OwnershipTransferred") return [];
  return [args.to, args.owner].flatMap((address) =>
    typeof address === "string" && !/^0x0+$/.test(address) ? [address] : [],
  );
}

async function judgeHolder(judge: Judge, address: string, named: Map<Hex, Log>): Promise<void> {
  const previous = [...named]
    .filter(([node]) => !controls(judge, node, address))
    .map(([, log]) => log.blockNumber);
  const summary = await judge.get(`/address/${address}/previous-domains`);
  judge.same(`previous domains of ${address}`, summary.total, previous.length);
  const blocks = ((summary.results ?? []) as Row[]).map(
    ({ last_owned_block_number }) => last_owned_block_number,
  );
  judge.same(
    `blocks of previous domains of ${address}`,
    blocks,
    previous.toSorted((a, b) => b - a).slice(0, 25),
  );
}

/** Whether an address owns a name now, and not one that anybody may register anew. */
function controls({ present }: Judge, node: Hex, address: string): boolean {
  const name = present.get(node);
  return name?.owner === address && (name.isActive || !name.isSecondLevel);
}
