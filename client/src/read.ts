/*
 * What the JSON of an answer becomes: times are seconds as bigint, what is absent is undefined, and `known` tells what is
 * known from what is not. The generated types say the same: `test/client/shape.ts` makes them by these rules.
 */

/** Fields that are times: unix seconds, or dates in ISO 8601. */
export const isTime = (field: string): boolean =>
  /(_timestamp|_at|_until|_since)$|^(timestamp|second|since|until|next_attempt)$/.test(field);

/** Fields whose keys are a stranger's: they are left as they are. */
export const foreignKeys: readonly string[] = ["texts", "addresses", "interfaces", "endpoints", "filters"];

/** What is known has one of these pairs of fields. */
const knownBy: readonly (readonly [string, string])[] = [
  ["ownership", "availability_status"],
  ["primary_name", "registrar"],
  ["agent_id", "adapter"],
  ["type", "domains"],
  ["price_block", "domain"],
];

const asked = ["query", "other_queries", "name", "namehash", "hash", "address", "coin_type", "agent_id"];
const reasons = ["error", "unresolved", "indexed", "source"];
const others = ["type", "domain", "availability_status", "resolution", "as_of"];

/** Whether an object with these fields is of something known; undefined where that is no question. */
export function knownOf(fields: readonly string[]): boolean | undefined {
  if (knownBy.some((pair) => pair.every((field) => fields.includes(field)))) return true;
  const has = (some: readonly string[]) => fields.some((field) => some.includes(field));
  const hasNothingElse = fields.every((field) =>
    [asked, reasons, others].some((some) => some.includes(field)),
  );
  return hasNothingElse && has(asked) && has(reasons) ? false : undefined;
}

/** An answer as its types say, from its JSON. */
export function read(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(read);
  if (typeof json !== "object" || json === null) return json;
  const fields = Object.entries(json).filter(([, value]) => value !== null);
  const known = knownOf(Object.keys(json));
  // fromEntries, because keys may be any text that was sent, `__proto__` too.
  return Object.fromEntries([
    ...(known === undefined ? [] : [["known", known] as const]),
    ...fields.map(([field, value]) => [field, readField(field, value)] as const),
  ]);
}

function readField(field: string, value: unknown): unknown {
  if (foreignKeys.includes(field)) return value;
  return isTime(field) && typeof value !== "object" ? readTime(value) : read(value);
}

function readTime(value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (typeof value !== "string") return value;
  if (/^\d+$/.test(value)) return BigInt(value);
  const milliseconds = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(milliseconds) ? value : BigInt(Math.floor(milliseconds / 1_000));
}
