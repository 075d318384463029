import type { Settings } from "../../settings/settings.ts";
import { CommandError } from "../commandLine/command.ts";
import { describeBytes, type Screen } from "../commandLine/progress.ts";
import type { Result } from "../commandLine/runProgram.ts";
import { checkExport } from "./check.ts";
import { createExport } from "./create.ts";
import { explain } from "./explain.ts";
import type { Manifest } from "./manifest.ts";
import type { ExportOptions } from "./options.ts";
import { describeReport } from "./report.ts";

export type Run = { settings: Settings; screen: Screen };

/** Does what the command line asks for. @throws CommandError that says what the operator can do */
export async function runExport(options: ExportOptions, run: Run): Promise<Result> {
  if (options.what === "check") return check(options, run);
  const manifest = await createExport({ ...run, ...options }).catch((error: Error) => {
    throw new CommandError(explain(error));
  });
  return { text: summaryOf(manifest, options.folder) };
}

async function check({ folder }: Extract<ExportOptions, { what: "check" }>, run: Run): Promise<Result> {
  const report = await checkExport({ ...run, folder });
  return { text: describeReport(report, folder), code: report.faults.length === 0 ? 0 : 1 };
}

function summaryOf({ tables, chains }: Manifest, folder: string): string {
  const files = tables.flatMap((table) => table.files);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const position = chains.map(({ chain_name, block_number }) => `block ${block_number} of ${chain_name}`);
  return `${folder} has ${tables.length} tables, ${rows.toLocaleString("en")} rows in ${files.length} files, ${describeBytes(bytes)}, at ${position.join(", ")}.`;
}
