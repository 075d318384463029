import { type Hex, toFunctionSelector } from "viem";
import type { Log, Transaction } from "./chainLogs.ts";
import type { Ledger } from "./ledger.ts";

/** A name registered or renewed by one transaction, with all logs about it. */
export type Purchase = { kind: "registration" | "renewal"; node: Hex; logs: [Log, ...Log[]] };

const kindOf: Record<string, Purchase["kind"]> = {
  HashRegistered: "registration",
  NameRegistered: "registration",
  NameMigrated: "registration",
  NameRenewed: "renewal",
  RenewalReferred: "renewal",
};

const sellers = ["registrar", "controller", "renewal-referrer"];

/** Calls that move names to another registrar, in the auction registrar and in the migration contract of 2020. */
const migrations = [
  "transferRegistrars(bytes32)",
  "migrate(uint256)",
  "migrateAll(uint256[])",
  "migrateLegacy(bytes32)",
  "migrateAllLegacy(bytes32[])",
].map((signature) => toFunctionSelector(signature));

/** Whether a log reports a registration without a payment: its transaction moved names. */
export const isMigration = (
  { transactionHash, eventName }: Log,
  transactions: Map<Hex, Transaction>,
): boolean =>
  kindOf[eventName] === "registration" &&
  migrations.includes(transactions.get(transactionHash)?.input.slice(0, 10) as Hex);

/** Every purchase of every name: one for each kind, transaction and name. */
export function listPurchases({
  ledgers,
  transactions,
}: {
  ledgers: Map<Hex, Ledger>;
  transactions: Map<Hex, Transaction>;
}): Purchase[] {
  const purchases = new Map<string, Purchase>();
  for (const [node, { logs }] of ledgers) {
    for (const log of logs) {
      const kind = sellers.includes(log.role) ? kindOf[log.eventName] : undefined;
      if (kind === undefined || isMigration(log, transactions)) continue;
      const key = `${kind} ${node} ${log.transactionHash}`;
      const purchase = purchases.get(key);
      if (purchase === undefined) purchases.set(key, { kind, node, logs: [log] });
      else purchase.logs.push(log);
    }
  }
  return [...purchases.values()];
}
