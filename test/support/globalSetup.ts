import { randomBytes } from "node:crypto";
import type { TestProject } from "vitest/node";
import { dropDatabase, startTemporaryPostgres } from "../../devnet/postgres.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A PostgreSQL server whose user may create databases; tests open their own there. */
    databaseServerUrl: string;
    /** What the database is called that others are copies of; the first test that needs it makes it. */
    templateDatabase: string;
    /** Of all random inputs. */
    seed: number;
    /** Of tests that have several: see size.ts. */
    form: "short" | "slow" | "long";
  }
}

const CONNECTIONS_NEEDED = 250;

/** Random inputs are the same in every run, so that what fails is new; FUZZ_SEED=7 makes others. */
const SEED = 20_200_204;

/** One PostgreSQL for the whole run: the one of DATABASE_URL, else a temporary one of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DATABASE_URL;
  if (given) await expectRoom(given);
  const server = given ? { url: given, stop: async () => {} } : await startTemporaryPostgres();
  const template = `template_${randomBytes(6).toString("hex")}`;
  project.provide("databaseServerUrl", server.url);
  project.provide("templateDatabase", template);
  project.provide("seed", Number(process.env.FUZZ_SEED ?? SEED));
  project.provide("form", "short");
  return async () => {
    if (given) await dropDatabase(given, template);
    await server.stop();
  };
}

/** Two workers have several Namedex at a time, each with pools of its own; what lacks a connection fails now and then. */
async function expectRoom(url: string): Promise<void> {
  const { rows } = await withClient({ connectionString: url }, (client) =>
    client.query<{ max_connections: string }>("show max_connections"),
  );
  const allowed = Number(rows[0]?.max_connections);
  if (allowed >= CONNECTIONS_NEEDED) return;
  throw new Error(
    `The PostgreSQL of DATABASE_URL allows ${allowed} connections, and the tests need ${CONNECTIONS_NEEDED}: ` +
      "raise its max_connections, or leave DATABASE_URL out to have one started",
  );
}
