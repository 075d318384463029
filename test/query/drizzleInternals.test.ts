import { expect, test } from "vitest";
import { requireDrizzle } from "../../src/api/server/postgres/drizzleInternals.ts";
import { useTables } from "./tables.ts";

const tables = useTables();
test("the installed drizzle-orm has every member in use", () => {
  requireDrizzle(tables.db);
});

test("a missing member is named, with the version", () => {
  const renamed = Object.create(tables.db, { session: { value: {} } });
  expect(() => requireDrizzle(renamed)).toThrow(
    /^drizzle-orm \d+\.\d+\.\d+ lacks session\.transaction\. Install the version of package-lock\.json with `npm ci`\.$/,
  );
});
