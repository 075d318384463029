import { pgTable, text } from "drizzle-orm/pg-core";
import { test } from "vitest";
import { ponderModule } from "../ponders.ts";
import { expectFault } from "./fault.ts";

test("the text of rows is one string, and those of a batch can be longer than V8 allows", async () => {
  const { getCopyText } = await ponderModule("indexing-store/cache.js");
  const rows = Array(6_000).fill({ value: "x".repeat(100_000) });
  let why = "";
  try {
    getCopyText(pgTable("records", { value: text() }), rows);
  } catch (error) {
    why = String(error);
  }
  expectFault("copyPieces", why === "RangeError: Invalid string length");
});
