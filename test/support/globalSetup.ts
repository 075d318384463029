import type { TestProject } from "vitest/node";
import { startTemporaryPostgres } from "../devnet/postgres.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A PostgreSQL server whose user may create databases; tests open their own there. */
    databaseServerUrl: string;
  }
}

/** One PostgreSQL for the whole run: the one of DATABASE_URL, else a temporary one of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startTemporaryPostgres();
  project.provide("databaseServerUrl", server.url);
  return server.stop;
}
