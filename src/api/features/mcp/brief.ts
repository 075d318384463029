/** What a result needs to know of the service's chains. */
export type Chains = { main: number; nameOf: (chainId: number) => string };

type Json = Record<string, unknown>;
type AsOfBlock = { chain_id: number; source: string };

/**
 * An answer as a model reads it: dates beside seconds, positions of the answer's own chains alone, and in lists no hashes
 * that follow from the name.
 */
export function inBrief(answer: Json, chains: Chains): Json {
  const { as_of: asOf, ...fields } = answer;
  const named = new Set([chains.nameOf(chains.main)]);
  const brief = shorten(fields, { isItem: false, named }) as Json;
  if (!Array.isArray(asOf)) return brief;
  const own = (asOf as AsOfBlock[]).filter(
    ({ chain_id: id, source }) => source === "live" || named.has(chains.nameOf(id)),
  );
  return { ...brief, as_of: own };
}

type Place = { isItem: boolean; named: Set<string> };

function shorten(value: unknown, { isItem, named }: Place): unknown {
  if (Array.isArray(value)) return value.map((item) => shorten(item, { isItem: true, named }));
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Json;
  if (typeof fields.chain === "string") named.add(fields.chain);
  const kept = Object.entries(fields).filter(([name]) => !(isItem && isDerived(name, fields)));
  return Object.fromEntries(
    kept.flatMap(([name, field]) => {
      const brief = keyedByOwners.includes(name) ? field : shorten(field, { isItem, named });
      return [[name, brief], ...dateOf(name, field)];
    }),
  );
}

/** Objects whose keys are written by owners of names. */
const keyedByOwners = ["texts", "addresses", "endpoints"];

/** Hashes that follow from the name. Where the name cannot be asked for by its text, `namehash` stays. */
const isDerived = (field: string, { name, domain }: Json): boolean =>
  field === "labelhash" ||
  field === "token_id" ||
  (field === "namehash" && PLAIN_NAME.test(String(name ?? domain)));

/** Names that their text alone identifies. */
const PLAIN_NAME = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

const SECONDS = /_timestamp$/;
/** The last second of the year 9999. */
const LAST_DATED = 253_402_300_799;

/** The day, in UTC, of a field with seconds: `expiry_timestamp` gets `expiry_date`. */
function dateOf(name: string, value: unknown): [string, string][] {
  const seconds = SECONDS.test(name) && value !== null && value !== "" ? Number(value) : Number.NaN;
  if (!(seconds > 0 && seconds <= LAST_DATED)) return [];
  return [[name.replace(SECONDS, "_date"), new Date(seconds * 1_000).toISOString().slice(0, 10)]];
}

/** A label without a dot, as people type names. */
const BARE_LABEL = /^[\p{L}\p{N}_-]{1,64}$/u;

/** What a caller may have meant by a bare label, beside an answer without content or an error; null for other calls. */
export function hintFor(given: Json, answer: Json): string | null {
  const asked = [given.name, given.address].find((text) => typeof text === "string" && BARE_LABEL.test(text));
  if (asked === undefined || !isWithoutContent(answer)) return null;
  return `Did you mean ${String(asked).toLowerCase()}.eth?`;
}

function isWithoutContent({ error, availability_status: state, total, records }: Json): boolean {
  if (error !== undefined || state === "unknown" || total === 0) return true;
  return typeof records === "object" && !JSON.stringify(records).includes('":"');
}
