import { readFileSync } from "node:fs";
import { type Postgres, startTemporaryPostgres } from "../../devnet/postgres.ts";

/** Starts a temporary PostgreSQL with what compose.yaml gives to an operator's. It waits for the disk, too. */
export async function startOperatorsPostgres(): Promise<Postgres> {
  const settings = settingsOfCompose();
  const postgres = await startTemporaryPostgres(settings);
  const words = settings.filter((word) => word !== "-c").join(", ");
  console.log(`PostgreSQL as in compose.yaml: ${words}; it waits for the disk. Its data: ${postgres.data}`);
  return postgres;
}

/** @example ["-c", "jit=off"] */
function settingsOfCompose(): string[] {
  const text = readFileSync(new URL("../../compose.yaml", import.meta.url), "utf8");
  const words = /command: postgres (.+)/.exec(text)?.[1];
  if (words === undefined) throw new Error("compose.yaml has no command with PostgreSQL's settings");
  return words.split(" ");
}
