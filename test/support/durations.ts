import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** How long each file of tests took, in seconds, by its path. */
type Durations = Record<string, number>;

type Report = { testResults: { name: string; status: string; startTime: number; endTime: number }[] };

const root = join(import.meta.dirname, "../..");

/** A file by its path from the project's folder, with slashes on every system. */
export const pathOf = (file: string): string => relative(root, file).split(sep).join("/");

/** Where the long proofs, the slow tests and `npm test` leave what they measured. A file that runs in several has its time in the last. */
const reports = ["-long", "-slow", ""].map((form) => join(root, `.namedex/test-report${form}.json`));
/** What a fresh clone begins with: `node test/support/durations.ts` writes it from the reports. */
const committed = join(import.meta.dirname, "durations.json");

/** The newest that is known of each file: the last report has what was run last, which may be one file only. */
export function readDurations(): ReadonlyMap<string, number> {
  return new Map(Object.entries({ ...readCommitted(), ...reported() }));
}

/** What a fresh clone knows. */
export const readCommitted = (): Durations => JSON.parse(readFileSync(committed, "utf8")) as Durations;

/** A file that failed may have ended early, so it says nothing. */
function reported(): Durations {
  const files = reports.filter(existsSync).flatMap((file) => readReport(file).testResults);
  return Object.fromEntries(
    files
      .filter(({ status }) => status === "passed")
      .map(({ name, startTime, endTime }) => [pathOf(name), Math.round((endTime - startTime) / 1_000)]),
  );
}

/** A run that was ended half way leaves half a report. */
function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return { testResults: [] };
  }
}

/** How long files took, as far as they are still there: an earlier run may have had more than the last one. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const lines = Object.entries({ ...readCommitted(), ...reported() })
    .filter(([file]) => existsSync(join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, seconds]) => `  ${JSON.stringify(file)}: ${seconds}`);
  writeFileSync(committed, `{\n${lines.join(",\n")}\n}\n`);
}
