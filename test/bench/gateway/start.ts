import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endChild, trackChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";

const program = fileURLToPath(new URL("../../../gateway/index.ts", import.meta.url));

/** The gateway as `npm run gateway` starts it, once it listens. */
export async function startGateway(
  indexers: readonly string[],
): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      INDEXERS: indexers.join(","),
      GATEWAY_MAX_LAG_SECONDS: "1000000000",
    },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  trackChild(child, "SIGTERM");
  const ended = once(child, "exit").then(() => true);
  for await (const text of child.stdout.setEncoding("utf8")) if (text.includes("listens on port")) break;
  if (await Promise.race([ended, false])) throw new Error("The gateway ended");
  return { url: `http://127.0.0.1:${port}`, stop: () => endChild(child) };
}
