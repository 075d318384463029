import { getTableColumns, type Table } from "drizzle-orm";
import { test } from "vitest";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

type State = {
  getPonderCheckpointTable: (schema: string) => Table;
  getPonderMetaTable: (schema: string) => Table;
};

test("nothing that Ponder stores of an index has a block's hash", async () => {
  const { getPonderCheckpointTable, getPonderMetaTable } = (await ponderModule("database/index.js")) as State;
  const columns = [getPonderCheckpointTable("index"), getPonderMetaTable("index")].flatMap((table) =>
    Object.keys(getTableColumns(table)),
  );
  expectFault(
    "blockJournal",
    columns.includes("latestCheckpoint") && !columns.some((name) => /hash/i.test(name)),
  );
});
