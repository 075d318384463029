import type { Hex } from "viem";
import type { Log } from "./chainLogs.ts";
import { everyOne, type Judge } from "./judge.ts";
import type { Row } from "./oracle.ts";

/** Receivers and owners that each name ever had, with their last event, and its current owner. */
export async function judgeHolders(judge: Judge): Promise<void> {
  await everyOne([...lastNamedIn(judge)], ([address, named]) => judgeHolder(judge, address, named));
}

/** The last log of each name that has an address as receiver or owner, by address. */
export function lastNamedIn(judge: Judge): Map<string, Map<Hex, Log>> {
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
  return lastNamed;
}

/** Receivers and owners in a log. */
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
  const listed = await judge.get(`/address/${address}/previous-domains`);
  judge.same(`previous domains of ${address}`, listed.total, previous.length);
  const summary = await judge.get(`/address/${address}/summary`);
  judge.same(`names that ${address} had, in its summary`, summary.previously_owned_count, previous.length);
  const blocks = ((listed.results ?? []) as Row[]).map(
    ({ last_owned_block_number }) => last_owned_block_number,
  );
  judge.same(
    `blocks of previous domains of ${address}`,
    blocks,
    previous.toSorted((a, b) => b - a).slice(0, 25),
  );
}

/** Whether an address owns a name now: never a .eth name past its grace, or one that the registrar never registered. */
export function controls({ present }: Judge, node: Hex, address: string): boolean {
  const name = present.get(node);
  return name?.owner === address && (name.isActive || !name.isSecondLevel);
}
