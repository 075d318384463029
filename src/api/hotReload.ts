/** What goes on by itself until it is stopped. */
type Running = { stop: () => Promise<void> };

declare global {
  var namedexRunning: Map<string, Running> | undefined;
}

/**
 * Starts what goes on by itself, in place of what an earlier run started under this name. `ponder dev` runs
 * `src/api/index.ts` anew at each edit, in the same process and with new modules: only `globalThis` outlives the edit, and
 * whatever was started before goes on beside the new.
 */
export function startInPlace(name: string, start: () => Running): void {
  globalThis.namedexRunning ??= new Map();
  void globalThis.namedexRunning.get(name)?.stop();
  globalThis.namedexRunning.set(name, start());
}
