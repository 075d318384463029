import type { Hex } from "viem";
import { ADDR_REVERSE_NODE } from "../../devnet/acts/names.ts";
import type { Log, TextBytes } from "./chainLogs.ts";
import { exactText, shownText } from "./chainLogs.ts";
import { ask } from "./chainReads.ts";
import { ANY, ASK, type ExpectedRow, expectedRows, type Surroundings } from "./expectedEvents.ts";
import { nodeOfToken } from "./judgeAgents.ts";
import { hashOfId, nodeBelowHash } from "./names.ts";
import { type Evidence, orNone, plain, type Row, show } from "./oracle.ts";
import { tracedPrices } from "./priceTruth.ts";
import { isTextWithoutValue, placeOf, textQuestion, tracedTexts } from "./textTruth.ts";

/** Columns of `events` that every log determines, besides its key. */
const columns = [
  ..."contract contract_address event_type block_timestamp transaction_hash node from_address to_address".split(
    " ",
  ),
  ..."owner_address new_owner_address resolver_address cost_wei base_cost_wei premium_wei exact_cost_wei".split(
    " ",
  ),
  ..."cost_is_upper_bound referrer expiry_timestamp duration_seconds fuses coin_type address key value".split(
    " ",
  ),
  ..."contenthash name anomaly".split(" "),
];

/** Source of a log's expected rows. */
const BY = "by test/truth/expectedEvents.ts";

/** Each log of the chain must be in `events` exactly once and in order, with all of its content; `holders` follow from them. */
export async function judgeEvents(evidence: Evidence): Promise<void> {
  const { logs, query, deployment, differ, count } = evidence;
  const rows = await query(
    `select * from events where chain_id = ${deployment.chainId} order by block_number, log_index, ordinal`,
  );
  const byPlace = groupByPlace(rows);
  const around = await surroundingsOf(evidence);
  const judgeText = await textJudgeOf(evidence);
  const holders = new Map<string, Log>();
  const reverseNodes = reverseNodesOf(logs);
  for (const log of logs) {
    count("logs");
    const what = `events ${placeOf(log)} ${log.role} ${log.eventName}`;
    const found = byPlace.get(placeOf(log)) ?? [];
    byPlace.delete(placeOf(log));
    const expected = expectedRows(log, around);
    if (found.length !== expected.length) {
      differ(`${what}: ${found.length} rows, chain says ${expected.length} (${BY})`);
      continue;
    }
    for (const [index, wanted] of expected.entries()) {
      const row = found[index] ?? {};
      compareEvent(evidence, what, row, {
        ...wanted,
        columns: { ordinal: String(index), ...wanted.columns },
      });
      if (wanted.columns.value === ASK) judgeText(log, row, what);
      if (!reverseNodes.has(wanted.columns.node)) noteHolders(holders, log, wanted);
    }
  }
  for (const [place, rows] of byPlace) {
    differ(`events ${place} ${String(rows[0]?.event_type)}: no such log on the chain`);
  }
  await judgeHolders(evidence, holders);
}

function groupByPlace(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const place = `${row.block_number}/${row.log_index}`;
    groups.set(place, [...(groups.get(place) ?? []), row]);
  }
  return groups;
}

function compareEvent(
  { differ }: Evidence,
  what: string,
  row: Row,
  { columns: wanted, details }: ExpectedRow,
) {
  for (const column of ["ordinal", ...columns]) {
    const value = wanted[column] ?? null;
    if (value === ASK) continue;
    // Texts keep their case; everything else is in lower case.
    const isText = ["key", "value", "name"].includes(column);
    const [is, should] = isText ? [row[column] ?? null, value] : [plain(row[column]), plain(value)];
    const isSame = value === ANY ? is !== null : is === should;
    if (!isSame) differ(`${what}: ${column} is ${show(row[column])}, log says ${show(value)} (${BY})`);
  }
  const kept = new Set(Object.values(detailsOf(row)).map((value) => String(value)));
  for (const value of details) {
    if (!kept.has(value)) differ(`${what}: details ${show(row.details)} lack ${show(value)}`);
  }
}

const detailsOf = ({ details }: Row): Row =>
  typeof details === "string" ? (JSON.parse(details) as Row) : {};

/** Facts that a log lacks: earlier expiries, prices at its block. */
async function surroundingsOf(evidence: Evidence): Promise<Surroundings> {
  const { logs, deployment } = evidence;
  const added = secondsAdded(logs);
  const byPlace = new Map(logs.map((log) => [placeOf(log), log]));
  const renewedSeconds = (log: Log) => {
    // Between the logs of registrar and controller, the receiver of a refund can log, too.
    for (let back = 1; back <= 7; back++) {
      const before = byPlace.get(placeOf({ ...log, logIndex: log.logIndex - back }));
      const seconds = before && added.get(placeOf(before));
      if (seconds !== undefined && before?.transactionHash === log.transactionHash) return seconds;
    }
    return null;
  };
  const costs = await tracedCosts(evidence);
  return {
    addedSeconds: (log) => added.get(placeOf(log)) ?? null,
    renewedSeconds,
    exactCost: (log) => costs.get(placeOf(log)) ?? null,
    nodeOfToken: (tokenContract, tokenId) => nodeOfToken(evidence, { tokenContract, tokenId }),
    layer2CoinType: 0x80000000n | BigInt(deployment.chainId),
  };
}

/** Seconds added by each renewal of the registrar of 2020, by place. */
function secondsAdded(logs: readonly Log[]): Map<string, bigint> {
  const expiries = new Map<string, bigint>();
  const added = new Map<string, bigint>();
  for (const log of logs) {
    const { id, expires } = log.args;
    const isCurrent = log.role === "registrar" && log.entry?.generation === 2;
    if (!isCurrent || typeof id !== "bigint" || typeof expires !== "bigint") continue;
    const before = expiries.get(hashOfId(id));
    if (log.eventName === "NameRenewed" && before !== undefined) added.set(placeOf(log), expires - before);
    expiries.set(hashOfId(id), expires);
  }
  return added;
}

const isOf = (generation: number, eventName: string) => (log: Log) =>
  log.role === "controller" && log.entry?.generation === generation && log.eventName === eventName;

/**
 * Prices of the renewals by the controller of 2023, from traces. Those after the last registration at a price of the feed are not
 * known yet.
 */
async function tracedCosts({ rpcUrl, logs }: Evidence): Promise<Map<string, bigint>> {
  const last = logs.findLastIndex((log) => [4, 5].some((one) => isOf(one, "NameRegistered")(log)));
  const renewals = logs.slice(0, last + 1).filter(isOf(4, "NameRenewed"));
  const byTransaction = Map.groupBy(renewals, ({ transactionHash }) => transactionHash);
  const [controller] = renewals.map(({ address }) => address);
  if (controller === undefined) return new Map();
  const kept = await tracedPrices(rpcUrl, controller, [...byTransaction.keys()]);
  return new Map(
    [...byTransaction].flatMap(([hash, group]) =>
      group.map((log, i) => [placeOf(log), kept.get(hash)?.[i] ?? 0n] as const),
    ),
  );
}

/**
 * Judges the values of texts whose logs lack them, by a trace. "Unknown" is allowed only if neither the calldata of a transaction
 * to the resolver nor, with reads allowed, its state at the end of the block could give the value.
 */
async function textJudgeOf({ rpcUrl, logs, transactions, archiveReads, differ, count }: Evidence) {
  const truth = await tracedTexts(rpcUrl, logs);
  const readable = archiveReads
    ? await readAtBlocks(rpcUrl, logs.filter(isTextWithoutValue))
    : new Set<string>();
  const last = new Map<string, string>();
  for (const log of logs) if (isTextWithoutValue(log)) last.set(textKey(log), placeOf(log));
  return (log: Log, row: Row, what: string) => {
    const value = truth.get(placeOf(log));
    const isStraight = transactions.get(log.transactionHash)?.to?.toLowerCase() === log.address;
    const isAskable = exactText(log.args.key as TextBytes) !== null;
    const canRead = isAskable && readable.has(placeOf(log)) && last.get(textKey(log)) === placeOf(log);
    if (row.value_source === "unknown") {
      count("text values marked unknown");
      if (isStraight && value !== undefined)
        differ(`${what}: value is unknown, the calldata has ${shownOf(value)}`);
      else if (canRead) differ(`${what}: value is unknown, the chain tells at the end of its block`);
      if (row.value !== null) differ(`${what}: value is unknown and ${show(row.value)} at once`);
      return;
    }
    count("text values found without a value in the log");
    if (row.value_source !== "calldata" && row.value_source !== "read") {
      differ(`${what}: value_source is ${show(row.value_source)}`);
    }
    const kept = row.value ?? detailsOf(row).value;
    if (value !== undefined && kept !== shownText(value)) {
      differ(`${what}: value is ${show(kept)} (${row.value_source}), was set to ${shownOf(value)}`);
    }
  };
}

const shownOf = (text: TextBytes): string => show(shownText(text));

/** Two sets of one key of one node in one block: only the last can be read. */
const textKey = (log: Log): string =>
  `${log.blockNumber} ${log.address} ${log.args.node} ${(log.args.key as TextBytes).bytes}`;

/** Places of logs whose resolver returns the text at the end of their block. */
async function readAtBlocks(rpcUrl: string, logs: readonly Log[]): Promise<Set<string>> {
  const readable = new Set<string>();
  for (const log of logs) {
    const question = textQuestion(log.address, log.args.node as Hex, log.args.key as TextBytes);
    const [answer] = await ask<Hex>(rpcUrl, [question], { block: BigInt(log.blockNumber) });
    if (answer !== null) readable.add(placeOf(log));
  }
  return readable;
}

/** Nodes ever created below addr.reverse: they count as no one's names. */
const reverseNodesOf = (logs: readonly Log[]): Set<unknown> =>
  new Set(
    logs
      .filter(({ eventName, args }) => eventName === "NewOwner" && args.node === ADDR_REVERSE_NODE)
      .map(({ args }) => nodeBelowHash(args.node as Hex, args.label as Hex)),
  );

function noteHolders(holders: Map<string, Log>, log: Log, { columns: wanted }: ExpectedRow): void {
  if (!wanted.node) return;
  for (const address of [wanted.to_address, wanted.owner_address, wanted.new_owner_address]) {
    if (orNone(address) !== null) holders.set(`${address} ${wanted.node}`, log);
  }
}

/** `holders` must have each receiver and owner in any event of a name that is not a reverse node, with the last one's block. */
async function judgeHolders(evidence: Evidence, expected: Map<string, Log>): Promise<void> {
  const { query, deployment, differ, count } = evidence;
  const rows = await query(`select * from holders where chain_id = ${deployment.chainId}`);
  const found = new Map(rows.map((row) => [`${row.address} ${row.node}`, row]));
  for (const [pair, log] of expected) {
    count("holders");
    const row = found.get(pair);
    found.delete(pair);
    const is = row && `${row.last_owned_block_number} ${row.last_owned_block_timestamp}`;
    const should = `${log.blockNumber} ${log.blockTimestamp}`;
    if (is !== should) differ(`holders ${pair}: ${is ?? "missing"}, logs say ${should}`);
  }
  for (const pair of found.keys()) differ(`holders ${pair}: on no event`);
}
