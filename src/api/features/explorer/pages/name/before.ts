import type { DomainEvent } from "../../replies.ts";

/** What a record was before a log set it. */
export type Before =
  /** The value that the same resolver had; empty for one that was cleared. */
  | { value: string }
  /** Nothing: the resolver had no such record. */
  | "nothing"
  /** Earlier logs are not at hand, or the earlier log does not carry the value. */
  | "not known";

/** The record that a log sets; null for a log of another kind. A value is absent where the log does not carry it. */
function recordIn(log: DomainEvent): { key: string; value: string | undefined } | null {
  if (log.key !== undefined) return { key: `text ${log.key}`, value: log.value };
  if (log.coin_type !== undefined) return { key: `address ${log.coin_type}`, value: log.address };
  return log.contenthash === undefined ? null : { key: "contenthash", value: log.contenthash };
}

/** These end all records of a name at a resolver at once. */
const CLEARING = ["VersionChanged", "Cleared"];

/** Records of one resolver; those of ENSv2 have a number, by which several names can share them. */
const placeOf = ({ contract_address, record_number = "" }: DomainEvent): string =>
  `${contract_address} ${record_number}`;

/**
 * The previous value of each log's record, from the given logs, oldest first. Each resolver has its own records, so values
 * at other resolvers do not count.
 *
 * @param isWhole whether these are all logs
 */
export function beforeEach(logs: readonly DomainEvent[], isWhole: boolean): Map<DomainEvent, Before> {
  const first: Before = isWhole ? "nothing" : "not known";
  const records = new Map<string, Map<string, Before>>();
  const cleared = new Set<string>();
  const before = new Map<DomainEvent, Before>();
  for (const log of logs) {
    const place = placeOf(log);
    const known = records.get(place) ?? new Map<string, Before>();
    records.set(place, known);
    if (CLEARING.includes(log.event_type)) {
      known.clear();
      cleared.add(place);
      continue;
    }
    const record = recordIn(log);
    if (record === null) continue;
    const unseen = cleared.has(place) ? "nothing" : first;
    before.set(log, known.get(record.key) ?? unseen);
    known.set(record.key, record.value === undefined ? "not known" : { value: record.value });
  }
  return before;
}
