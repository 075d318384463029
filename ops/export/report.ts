import { onOneLine } from "../commandLine/foreignText.ts";

/** What a check found. */
export type Report = {
  /** What was compared and is equal, a line each. */
  equal: string[];
  /** What differs. */
  faults: string[];
  /** What could not be compared, and why. */
  left: string[];
};

export const emptyReport = (): Report => ({ equal: [], faults: [], left: [] });

/** Faults that are shown: a folder that is wholly wrong has thousands. */
const SHOWN_FAULTS = 20;

/** The report for a person. A folder can be a stranger's, and so can any text in it. */
export function describeReport({ equal, faults, left }: Report, folder: string): string {
  const more = faults.length - SHOWN_FAULTS;
  const parts = [
    ["Equal:", equal],
    ["Not compared:", left],
    ["Different:", [...faults.slice(0, SHOWN_FAULTS), ...(more > 0 ? [`… and ${more} more`] : [])]],
  ] as const;
  const text = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map((line) => `  ${onOneLine(line)}`)].join("\n"));
  const verdict =
    faults.length === 0
      ? `${folder} matches its manifest.`
      : `${folder} has ${faults.length} faults. Do not use it: download or write it again.`;
  return [...text, verdict].join("\n\n");
}
