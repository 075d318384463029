// `node --import withParent.ts <Ponder>`: ends Ponder when the program that started it is gone, however that ended. No supervisor
// would know of Ponder then, and no watchdog would watch it.

/** An indexer that does not end by itself is killed after this time: it holds its port and its lock. */
const KILL_AFTER_MS = 10_000;

process.once("disconnect", () => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {}); // Its reader is gone too.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), KILL_AFTER_MS).unref();
  process.kill(process.pid, "SIGINT");
});
