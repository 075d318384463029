import type { Hex } from "viem";
import type { Argument, Log } from "./chainLogs.ts";
import type { Judge } from "./judge.ts";
import type { Ledger } from "./ledger.ts";
import { plain, type Row } from "./oracle.ts";
import { isMigration } from "./purchases.ts";

const registrations = ["HashRegistered", "NameRegistered", "NameMigrated"];
const renewals = ["NameRenewed", "RenewalReferred"];
const sellers = ["registrar", "controller", "renewal-referrer"];

/** Registrations and renewals of a name: all logs of one kind in one transaction count as one. */
export async function judgeRegistrations(judge: Judge, path: string, { logs }: Ledger) {
  const answer = await judge.get(`/domain/${path}/registration-history`);
  for (const [kind, names] of [
    ["registrations", registrations],
    ["renewals", renewals],
  ] as const) {
    const told = logs.filter(
      (log) =>
        sellers.includes(log.role) && names.includes(log.eventName) && !isMigration(log, judge.transactions),
    );
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

/**
 * Expiry and buyer of a sale must match exactly; so must its price if the logs give it, otherwise it is at least an upper bound.
 */
function judgeSale({ same }: Judge, what: string, entry: Row, logs: Log[]) {
  const registrars = logs.filter(
    ({ role, entry: contract }) => role === "registrar" && contract?.generation !== 0,
  );
  const controllers = logs.filter(({ role }) => role === "controller");
  const expiry = registrars.at(-1)?.args.expires ?? controllers.at(-1)?.args.expires ?? null;
  same(`${what}, expiry`, entry.expiry_timestamp, plain(expiry));
  const told = controllers.at(-1) ?? logs.filter(({ role }) => role === "registrar").at(-1);
  const owner = told?.args.owner ?? registrars.at(-1)?.args.owner ?? null;
  same(`${what}, buyer`, plain(entry.owner_address), plain(owner));
  const paid = (controllers.length > 0 ? controllers : logs).map(priceOf);
  const total = paid.reduce<bigint | null>(
    (sum, price) => (price === null ? sum : (sum ?? 0n) + price),
    null,
  );
  const isBound = controllers.some(
    ({ entry: contract, eventName }) => contract?.generation === 4 && eventName === "NameRenewed",
  );
  if (!isBound) return same(`${what}, price`, entry.cost_wei, plain(total));
  const most = total ?? 0n;
  const cost = BigInt(String(entry.cost_wei));
  same(`${what}, price of at most ${most}`, entry.cost_is_upper_bound ? cost === most : cost <= most, true);
}

/** The auction registrar logs a deposit, not a price. */
function priceOf({ eventName, args }: Log): bigint | null {
  const { cost, baseCost, premium, value }: Record<string, Argument> = args;
  if (eventName === "HashRegistered") return null;
  if (cost !== undefined) return cost as bigint;
  if (baseCost !== undefined) return (baseCost as bigint) + (premium as bigint);
  return value === undefined ? null : (value as bigint);
}
