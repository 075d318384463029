import { alignColumns } from "../commandLine/columns.ts";
import { describeBytes } from "../commandLine/progress.ts";
import type { Manifest, Part } from "./manifest.ts";

const english = (value: number): string => value.toLocaleString("en");

const sum = (parts: readonly Part[], of: (part: Part) => number): number =>
  parts.reduce((total, part) => total + of(part), 0);

/** What a snapshot has, for people. */
export function describeSnapshot(manifest: Manifest): string {
  const { network, build_id, created_at, versions, chains, indexes, parts, has_cache } = manifest;
  const rows = [
    ["network", network],
    ...chains.map((chain) => [
      "block",
      `${chain.block_number} of ${chain.chain_name} (${chain.chain_id}), ${dateOf(chain.block_timestamp)}, ${chain.block_hash}`,
    ]),
    ["build", `${build_id} of Namedex ${versions.namedex} with Ponder ${versions.ponder}`],
    ["written", `${created_at} from PostgreSQL ${versions.postgresql}`],
    ["indexes", indexes.length === 0 ? "none was complete" : indexes.join(", ")],
    ["cache", has_cache ? "includes past events" : "does not include past events"],
  ];
  return `${alignColumns(rows)}\n\n${describeTables(parts)}`;
}

const dateOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

function describeTables(parts: readonly Part[]): string {
  const tables = Map.groupBy(parts, ({ of, table }) => (of === "cache" ? `cache: ${table}` : table));
  const rows = [...tables, ["all", parts] as const].map(([table, of]) => [
    table,
    english(sum(of, ({ rows }) => rows)),
    String(of.length),
    describeBytes(sum(of, ({ text_bytes }) => text_bytes)),
    describeBytes(sum(of, ({ bytes }) => bytes)),
  ]);
  return alignColumns([["table", "rows", "parts", "text", "compressed"], ...rows]);
}
