import { expect, test } from "vitest";
import { requireDrizzle } from "../../src/api/server/postgres/drizzleInternals.ts";
import { useTables } from "./tables.ts";

const tables = useTables();
test("the installed drizzle-orm has every member in use", () => {
  requireDrizzle(tables.db);
});

test("a missing member is named, with the version", () => {
  const { session } = tables.db as unknown as { session: { prepareQuery: () => unknown } };
  const prepareQuery = session.prepareQuery.bind(session);
  const renamed = Object.create(tables.db, { session: { value: { prepareQuery } } });
  expect(() => requireDrizzle(renamed)).toThrow(
    /^drizzle-orm \d+\.\d+\.\d+ lacks session\.transaction\. Install the version of package-lock\.json with `npm ci`\.$/,
  );
});
