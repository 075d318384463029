/**
 * `npm run bench:labels`: what `npm run labels -- import` takes for generated tables of each form, against the hashes of their
 * labels alone, and what it would take for the largest table that there is.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFreshDatabase, startTemporaryPostgres } from "../../devnet/postgres.ts";
import { startProgram, type Taken } from "../child.ts";
import { isAsked, readOptions, reportOptions } from "../commandLine.ts";
import { judge, type Row, report } from "../report.ts";
import { makeIndex, SCHEMA, takeStored } from "./index.ts";
import {
  type Compression,
  countLacking,
  type FormName,
  hasZstd,
  measureHashing,
  writeTable,
} from "./tables.ts";

const {
  records = 3_000_000,
  lacking = 900_000,
  only = "",
  ...files
} = readOptions("npm run bench:labels", {
  records: { value: "N", meaning: "how many records each table has; 3000000 by default" },
  lacking: { value: "N", meaning: "how many labels the index lacks; 900000 by default" },
  only: { value: "TEXT", meaning: "only forms whose name has this text; several with `|` between" },
  ...reportOptions,
});

/** Labels of ENSRainbow's set `searchlight`. */
const LARGEST = 260_000_000;
const MAX_MIB = 512;
/** An import may take this many times as long as its hashes. */
const MAX_RATIO = 4;

type Kind = { form: FormName; compression: Compression };

const nameOf = ({ form, compression }: Kind): string =>
  compression === "none" ? form : `${form}, ${compression}`;

const kinds = (["ensrainbow", "sql", "csv", "list"] as const)
  .flatMap((form) => (["none", "gzip", "zstd"] as const).map((compression): Kind => ({ form, compression })))
  .filter(({ compression }) => compression !== "zstd" || hasZstd)
  .filter((kind) => isAsked(only, { name: nameOf(kind) }));

const folder = mkdtempSync(join(tmpdir(), "namedex-labels-"));
const postgres = await startTemporaryPostgres();
try {
  const databaseUrl = await openFreshDatabase(postgres.url, "labels");
  console.error(`making an index that lacks ${lacking.toLocaleString("en")} labels`);
  await makeIndex(databaseUrl, lacking);
  const hashing = measureHashing(records);
  const start = await measureStart(databaseUrl);
  const row = (name: string, value: number, unit: string) => judge({ bench: "labels", name, value, unit });
  const rows = [
    row("hashes alone", hashing, "hashes/s"),
    row("an import of one record: reading what the index lacks", start.seconds, "s"),
  ];
  for (const kind of kinds) {
    const taken = await importTable(databaseUrl, kind, records);
    rows.push(...rowsOf(nameOf(kind), { taken, start, hashing }));
  }
  report(rows, {
    ...files,
    made: `${records.toLocaleString("en")} records in each table, ${countLacking(records).toLocaleString("en")} of them of the ${lacking.toLocaleString("en")} labels that the index lacks`,
  });
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The shortest of some imports of one record, so that no slow moment of the machine makes the others look fast. */
async function measureStart(databaseUrl: string): Promise<Taken> {
  const taken: Taken[] = [];
  while (taken.length < 3)
    taken.push(await importTable(databaseUrl, { form: "list", compression: "none" }, 1));
  return taken.toSorted((a, b) => a.seconds - b.seconds)[0] as Taken;
}

async function importTable(databaseUrl: string, kind: Kind, of: number): Promise<Taken> {
  const path = await writeTable(folder, { ...kind, records: of });
  const taken = await startProgram("labels", ["import", path], {
    DATABASE_URL: databaseUrl,
    DATABASE_SCHEMA: SCHEMA,
  }).ended;
  rmSync(path);
  const stored = await takeStored(databaseUrl);
  const expected = Math.min(countLacking(of), lacking);
  if (stored !== expected) throw new Error(`${path}: ${stored} labels were stored, not ${expected}`);
  console.error(`${nameOf(kind)}: ${taken.seconds.toFixed(1)} s`);
  return taken;
}

function rowsOf(
  name: string,
  { taken, start, hashing }: { taken: Taken; start: Taken; hashing: number },
): Row[] {
  const speed = records / (taken.seconds - start.seconds);
  const figure = { bench: "labels" };
  return [
    judge({
      ...figure,
      name,
      value: speed,
      unit: "records/s",
      ratio: hashing / speed,
      target: { of: "ratio", atMost: MAX_RATIO },
    }),
    judge({
      ...figure,
      name: `${name}: peak memory`,
      value: taken.peakBytes / 2 ** 20,
      unit: "MiB",
      target: { of: "value", atMost: MAX_MIB },
    }),
    judge({
      ...figure,
      name: `${name}: 260 million records, calculated`,
      unit: "min",
      value: (start.seconds + LARGEST / speed) / 60,
    }),
  ];
}
