import { join, relative } from "node:path";
import { prepareDatabase } from "../ops/checks/database.ts";
import { openDatabase, openFreshDatabase, startPostgres } from "./postgres.ts";
import { beginStep } from "./screen.ts";

const USUAL_PORT = 54329;

/** Which database to use: `given` if it is set, else one of this name on our own PostgreSQL. */
export type DatabasePlan = {
  home: string;
  given: string | undefined;
  name: string;
  /** Creates the database of our own again: what it held belongs to a chain that is gone. */
  isFresh: boolean;
};

/** Finds or starts the database, and gives its URL. Our own PostgreSQL keeps its data from start to start. */
export async function openOwnDatabase({ home, given, name, isFresh }: DatabasePlan): Promise<string> {
  if (given) {
    await prepareDatabase(given);
    return given;
  }
  const step = beginStep("Starting PostgreSQL");
  const server = await startPostgres({ data: join(home, "postgres"), preferredPort: USUAL_PORT });
  const url = await (isFresh ? openFreshDatabase : openDatabase)(server.url, name);
  step.done(`PostgreSQL on port ${new URL(url).port}, data in ${relative("", server.data)}`);
  return url;
}
