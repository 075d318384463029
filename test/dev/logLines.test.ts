import { expect, test } from "vitest";
import { forScreen } from "../../devnet/indexer.ts";
import { parseLine } from "../../devnet/ponder.ts";

const onScreen = (line: object) => forScreen(parseLine(JSON.stringify(line)));

test("a request that failed is no line of a developer's screen", () => {
  expect(onScreen({ level: "error", message: "request", status: 502 })).toBeNull();
});

test("errors and warnings of the API and of Ponder are shown with their text", () => {
  expect(onScreen({ level: "error", message: "request failed" })).toContain("request failed");
  expect(onScreen({ level: "warn", message: "slow query" })).toContain("slow query");
  expect(onScreen({ level: "info", message: "settings" })).toBeNull();
  expect(onScreen({ level: 50, msg: "Failed to start" })).toContain("Failed to start");
});

test("the reason of an error is shown, however its line has it", () => {
  expect(onScreen({ level: "error", message: "request failed", error: "Error: no\n    at f" })).toContain(
    "Error: no\n    at f",
  );
  const emptied = { name: "MigrationError", message: "used by another app", stack: "", meta: "" };
  expect(onScreen({ level: 50, msg: "uncaughtException", error: emptied })).toContain(
    "MigrationError: used by another app",
  );
  expect(onScreen({ level: 40, msg: "Failed", error: emptied })).toContain(
    "Failed: MigrationError: used by another app",
  );
});

test("a warning of Node about a package is no line of the screen", () => {
  expect(
    onScreen({ level: "warn", message: "(node:7) DeprecationWarning: Calling it is deprecated." }),
  ).toBeNull();
});
