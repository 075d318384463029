import { type Column, type FileFormat, quoted } from "./columns.ts";
import { literal } from "./duckDb.ts";

// How DuckDB reads and writes each form. Types are always given: none is guessed from the rows.

/**
 * One row, which may hold a text of any length that fits into a block. DuckDB's reader of JSON takes twice as much memory for
 * each of its threads.
 */
export const MAX_ROW_BYTES = 32 * 2 ** 20;

/** Rows that a reader of Parquet reads or leaves out together. */
const ROW_GROUP_ROWS = 100_000;

export const extensionOf: Record<FileFormat, string> = {
  parquet: "parquet",
  csv: "csv.gz",
  ndjson: "ndjson.gz",
};

const writing: Record<FileFormat, string> = {
  parquet: `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`,
  csv: "FORMAT csv, HEADER true, COMPRESSION gzip",
  ndjson: "FORMAT json, ARRAY false, COMPRESSION gzip",
};

/** SQL that writes the rows of a query into a file. */
export const copyStatement = (select: string, file: string, format: FileFormat): string =>
  `COPY (${select}) TO ${literal(file)} (${writing[format]})`;

/** SQL for the rows of files, with the columns of the view. */
export function readFiles(files: readonly string[], columns: readonly Column[], format: FileFormat): string {
  const list = `[${files.map(literal).join(", ")}]`;
  const types = `columns = {${columns.map(({ name, type }) => `${quoted(name)}: ${literal(type)}`).join(", ")}}`;
  if (format === "parquet") return `read_parquet(${list}, hive_partitioning = false)`;
  if (format === "csv") return `read_csv(${list}, header = true, ${types}, ${csvReading})`;
  return `read_json(${list}, format = 'newline_delimited', compression = 'gzip', hive_partitioning = false, maximum_object_size = ${MAX_ROW_BYTES}, ${types})`;
}

/** CSV as PostgreSQL's COPY and DuckDB write it: an empty field is null, and an empty text has quotes. */
const csvReading = [
  "auto_detect = false",
  "delim = ','",
  "quote = '\"'",
  "escape = '\"'",
  "nullstr = ''",
  "allow_quoted_nulls = false",
  "compression = 'gzip'",
  "hive_partitioning = false",
  "parallel = false",
  `max_line_size = ${MAX_ROW_BYTES}`,
  `buffer_size = ${MAX_ROW_BYTES}`,
].join(", ");

/** SQL for rows as COPY wrote them. DuckDB reads a decimal of CSV ten times slower than an integer that it then casts. */
export const readStaged = (files: readonly string[], columns: readonly Column[]): string => {
  const isDecimal = ({ type }: Column) => type === "DECIMAL(38,0)";
  const types = columns.map(
    (one) => `${quoted(one.name)}: ${literal(isDecimal(one) ? "HUGEINT" : one.type)}`,
  );
  const casts = columns.map((one) =>
    isDecimal(one) ? `${quoted(one.name)}::${one.type} as ${quoted(one.name)}` : quoted(one.name),
  );
  const list = files.map(literal).join(", ");
  return `(select ${casts.join(", ")} from read_csv([${list}], header = false, columns = {${types.join(", ")}}, ${csvReading}))`;
};
