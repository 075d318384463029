import { alignColumns } from "../commandLine/columns.ts";
import { escapeControls } from "../commandLine/foreignText.ts";
import { type Difference, type Result, valuesOf } from "./result.ts";

/** What a run was about, besides its result. */
export type Run = {
  chain: string;
  chainId: number;
  schema: string;
  seed: number;
  seconds: number;
  /** Where the API answers. */
  port: number;
  /** Why the run ended early; null if it is complete. */
  failure: string | null;
};

/** Differences that the text shows; JSON has more. */
const SHOWN_DIFFERENCES = 20;
/** Values can be of any length. */
export const SHOWN_LENGTH = 200;

/** A stranger's text on one line. */
const safe = (text: string): string =>
  escapeControls(
    JSON.stringify(
      text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)` : text,
    ),
  );

/** JSON in which every such character is escaped. */
export const safeJson = (value: unknown): string => escapeControls(JSON.stringify(value, null, 2));

/** The result for a person. */
export function reportText(result: Result | null, run: Run): string {
  const parts =
    result === null
      ? []
      : [
          headOf(result, run),
          comparedText(result),
          kindsText(result),
          skippedText(result),
          differencesText(result, run),
        ];
  const failure = run.failure === null ? "" : `Not finished: ${run.failure}`;
  return [...parts, verdictOf(result, run), failure].filter((part) => part !== "").join("\n\n");
}

function headOf({ block, samples }: Result, { chain, schema, seed, seconds }: Run): string {
  return `${samples} names, records and primary names of the index "${schema}", chosen by seed ${seed}, compared with the contracts of ${chain} at block ${block.number} (${block.hash}) in ${Math.round(seconds)} s.`;
}

const comparedText = ({ compared }: Result): string =>
  compared.size === 0
    ? ""
    : alignColumns([
        ["column", "values", "different"],
        ...[...compared]
          .sort()
          .map(([place, { values, differences }]) => [place, String(values), String(differences)]),
      ]);

const kindsText = ({ kinds }: Result): string =>
  kinds.size === 0
    ? ""
    : `By kind:\n${alignColumns([...kinds].sort().map(([kind, count]) => [`  ${kind}`, String(count)]))}`;

const skippedText = ({ notCompared }: Result): string =>
  notCompared.size === 0
    ? ""
    : `Not compared:\n${alignColumns([...notCompared].map(([why, count]) => [`  ${why}`, String(count)]))}`;

function differencesText({ differences, differenceCount }: Result, run: Run): string {
  if (differenceCount === 0) return "";
  const shown = differences.slice(0, SHOWN_DIFFERENCES).map((difference) => differenceText(difference, run));
  const more = differenceCount - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more; --json shows up to 1,000.`] : [])].join("\n\n");
}

function differenceText(
  { table, column, of, index, chain, calls, path }: Difference,
  { port, chainId }: Run,
): string {
  const value = (text: string | null) => (text === null ? "none" : safe(text));
  const requests = calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call }));
  const body = requests.length === 1 ? requests[0] : requests;
  return [
    `${table}.${column} of ${safe(of)}`,
    `  index: ${value(index)}`,
    `  chain: ${value(chain)}${calls.length === 0 ? " (from the row's other columns)" : ""}`,
    `  curl 'http://127.0.0.1:${port}${path}'`,
    ...(calls.length === 0
      ? []
      : [`  curl "$RPC_URL_${chainId}" -H 'content-type: application/json' -d '${JSON.stringify(body)}'`]),
  ].join("\n");
}

function verdictOf(result: Result | null, { failure }: Run): string {
  if (result === null) return "";
  const values = valuesOf(result);
  const { differenceCount } = result;
  if (differenceCount > 0) return `${differenceCount} of ${values} values differ.`;
  return failure === null ? `All ${values} values match.` : `The ${values} values compared until then match.`;
}

/** The result for a program; words as in the answers of the API. */
export function reportJson(result: Result | null, run: Run): string {
  return safeJson({
    complete: run.failure === null,
    failure: run.failure,
    chain: run.chain,
    chain_id: run.chainId,
    schema: run.schema,
    seed: run.seed,
    seconds: Math.round(run.seconds * 10) / 10,
    block_number: result?.block.number ?? null,
    block_hash: result?.block.hash ?? null,
    samples: result?.samples ?? 0,
    values: result === null ? 0 : valuesOf(result),
    difference_count: result?.differenceCount ?? 0,
    compared: Object.fromEntries(result?.compared ?? []),
    kinds: Object.fromEntries(result?.kinds ?? []),
    not_compared: Object.fromEntries(result?.notCompared ?? []),
    differences: result?.differences ?? [],
  });
}
