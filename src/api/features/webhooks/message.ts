import { randomUUID } from "node:crypto";
import type { Contracts } from "../../../../abis/contracts.ts";
import { toChangeRecord } from "../feed/changeRecord.ts";
import type { ChangeRow } from "../feed/rows.ts";

/** What is sent, once for all webhooks that get it. */
export type Message = {
  /** The header `webhook-id`: the same in each attempt and replay. */
  id: string;
  type: string;
  /** When it happened, in unix seconds. */
  seconds: number;
  data: Record<string, unknown>;
};

/** What an owner chose to get of a change. */
export type Payload = "thin" | "full";

/** The message of a change: its id is the position. */
export function changeMessage(
  row: ChangeRow,
  { contracts, epoch }: { contracts: Contracts; epoch: string },
): Message {
  const record = toChangeRecord(row, { contracts, now: 0, epoch });
  return { id: record.position, type: record.type, seconds: record.block_timestamp, data: record };
}

export const TEST_TYPE = "webhook.test";
export const GAP_TYPE = "webhook.gap";

/** A message of the service itself. */
export const ownMessage = (type: string, data: Record<string, unknown>): Message => ({
  id: `${type.replace(".", "_")}-${randomUUID()}`,
  type,
  data,
  seconds: Math.floor(Date.now() / 1_000),
});

/** What a thin message says of a change: which value changed, not to what. */
const THIN = [
  "position",
  "state",
  "type",
  "subject",
  "chain",
  "domain",
  "namehash",
  "block_number",
  "block_hash",
  "block_timestamp",
  "removed_position",
];

/** The body, as Standard Webhooks has it: type, timestamp, data. */
export function bodyOf({ type, seconds, data }: Omit<Message, "id">, payload: Payload): string {
  const isOwn = type === TEST_TYPE || type === GAP_TYPE;
  const shown =
    isOwn || payload === "full"
      ? data
      : Object.fromEntries(Object.entries(data).filter(([name]) => THIN.includes(name)));
  return JSON.stringify({ type, timestamp: new Date(seconds * 1_000).toISOString(), data: shown });
}
