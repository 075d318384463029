import type { Hex } from "viem";
import type { Log } from "./chainLogs.ts";
import type { Ledger } from "./ledger.ts";

/** A name that was registered or renewed by one transaction, with all logs that tell of it. */
export type Purchase = { kind: "registration" | "renewal"; node: Hex; logs: [Log, ...Log[]] };

const kindOf: Record<string, Purchase["kind"]> = {
  ...{ HashRegistered: "registration", NameRegistered: "registration", NameMigrated: "registration" },
  ...{ NameRenewed: "renewal", RenewalReferred: "renewal" },
};

const sellers = ["registrar", "controller", "renewal-referrer"];

/** Every purchase of every name: one for each kind, transaction and name. */
export function listPurchases(ledgers: Map<Hex, Ledger>): Purchase[] {
  const purchases = new Map<string, Purchase>();
  for (const [node, { logs }] of ledgers) {
    for (const log of logs) {
      const kind = sellers.includes(log.role) ? kindOf[log.eventName] : undefined;
      if (kind === undefined) continue;
      const key = `${kind} ${node} ${log.transactionHash}`;
      const purchase = purchases.get(key);
      if (purchase === undefined) purchases.set(key, { kind, node, logs: [log] });
      else purchase.logs.push(log);
    }
  }
  return [...purchases.values()];
}
