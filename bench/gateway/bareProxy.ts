import { connect, createServer, type Socket } from "node:net";

/*
 * A process that passes bytes on and understands none of them: what no program between caller and indexer can be faster
 * than, written in the same language. Told the port of the indexer, it tells its own.
 */

process.once("message", (port: number) => {
  const server = createServer({ noDelay: true }, (caller) => {
    const indexer = connect({ port, host: "127.0.0.1", noDelay: true });
    passOn(caller, indexer);
    passOn(indexer, caller);
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port));
});
process.once("disconnect", () => process.exit());

function passOn(from: Socket, to: Socket): void {
  from.on("data", (chunk) => void to.write(chunk));
  from.on("close", () => to.destroy());
  from.on("error", () => {});
}
