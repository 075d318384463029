import { createServer as createListener } from "node:net";
import { Hono } from "hono";
import { freePort } from "../../devnet/ports.ts";
import { openBuild } from "./plain/openBuild.ts";
import { ponderModule } from "./ponders.ts";

// Asks Ponder for a port that another program has. Prints which one Ponder chooses (0 for that one), and its server's message.

const port = await freePort();
await new Promise<void>((resolve) => createListener().listen(port, resolve));

const { build, close } = await openBuild({ port });
const { result } = await build.compileApi({ apiResult: { app: new Hono() } });
await close();
const away = result.port - port;

const common = { metrics: {}, logger: { info: () => {} }, apiShutdown: { add: () => {} } };
const serve = async () => {
  const { createServer } = await ponderModule("server/index.js");
  return createServer({ common, database: {}, apiBuild: result }).then(
    () => null,
    ({ message }: Error) => message.replace(String(port), "<port>"),
  );
};
console.log(JSON.stringify({ away, failure: away === 0 ? await serve() : null }));
process.exit();
