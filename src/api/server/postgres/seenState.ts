import { AsyncLocalStorage } from "node:async_hooks";

/** What one reading sent to the index: how many statements, and the states of the tables that some of them gave with their rows. */
type Reading = { statements: number; versions: string[] };

const current = new AsyncLocalStorage<Reading>();

/** Counts a statement for the reading that sends it. */
export function noteStatement(): void {
  const reading = current.getStore();
  if (reading !== undefined) reading.statements++;
}

/** Notes the state that a statement gave with its rows: it saw the tables in this state alone. */
export function noteVersion(version: string): void {
  current.getStore()?.versions.push(version);
}

/**
 * Reads, and says in which state the tables were, where every statement of the reading gave it: the same one. Null where one
 * did not, where they differ, and where statements are not counted.
 */
export async function readWithState<Result>(
  read: () => Promise<Result>,
): Promise<{ result: Result; version: string | null }> {
  const reading: Reading = { statements: 0, versions: [] };
  const result = await current.run(reading, read);
  const { statements, versions } = reading;
  const [version = null] = versions;
  const isOfOne = statements === versions.length && versions.every((one) => one === version);
  return { result, version: isOfOne ? version : null };
}
