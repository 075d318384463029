/** A background task. */
type Running = { stop: () => Promise<void> };

declare global {
  var namedexRunning: Map<string, Running> | undefined;
}

/**
 * Starts a background task, and stops the one that an earlier run started under this name. `ponder dev` runs
 * `src/api/index.ts` again at each edit, in the same process and with new modules. Only `globalThis` outlives the edit,
 * so that tasks of the earlier run would go on beside the new ones.
 */
export function startInPlace(name: string, start: () => Running): void {
  globalThis.namedexRunning ??= new Map();
  void globalThis.namedexRunning.get(name)?.stop();
  globalThis.namedexRunning.set(name, start());
}
