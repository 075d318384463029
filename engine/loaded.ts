declare global {
  /** Names of the changes that this process loaded Ponder with. */
  var namedexChanges: readonly string[] | undefined;
  var namedexMissesChanges: boolean | undefined;
}

/** Notes that Ponder is loaded with these changes. */
export function noteChanges(names: readonly string[]): void {
  globalThis.namedexChanges = names;
}

/**
 * Says once in a process that Ponder runs without our changes: it was started by its own command, which does not
 * load them. `ponder dev` calls this again after each edit; only `globalThis` outlives the edit.
 */
export function warnWithoutChanges(say: (line: string) => void): void {
  if (globalThis.namedexChanges !== undefined || globalThis.namedexMissesChanges) return;
  globalThis.namedexMissesChanges = true;
  say(
    "Ponder runs without Namedex's changes: a crash of PostgreSQL can lose blocks for good, and a first index takes hours longer. Start it with npm start, npm run serve or npm run dev instead (docs/ponder.md).",
  );
}
