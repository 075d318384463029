import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { dropDatabase, openDatabase } from "../devnet/postgres.ts";

/** A database for one test or file, with pg_trgm in `public`, and the way to drop it. */
export async function createTestDatabase(
  server = inject("databaseServerUrl"),
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  return { url: await openDatabase(server, name), drop: () => dropDatabase(server, name) };
}
