/** An indexer that does not end by itself is killed after this time: it holds its port and its lock. */
const KILL_AFTER_MS = 10_000;

/**
 * Ends this process when the one that started it is gone, however that ended: no supervisor would know of us, and no
 * watchdog watch us. Does nothing where no channel leads to a parent.
 */
export function endWithParent(): void {
  if (!process.connected) return;
  process.once("disconnect", () => {
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {}); // Its reader is gone, too.
    setTimeout(() => process.kill(process.pid, "SIGKILL"), KILL_AFTER_MS).unref();
    process.kill(process.pid, "SIGINT");
  });
}
