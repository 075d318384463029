const MINUTE_MS = 60_000;

/** Runs the work in the background when it is called, at most once a minute; `work` handles its own errors. */
export function onceAMinute(work: () => Promise<void>): () => void {
  let startedAt = Date.now();
  return () => {
    if (Date.now() - startedAt < MINUTE_MS) return;
    startedAt = Date.now();
    void work();
  };
}
