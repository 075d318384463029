import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endChild, trackChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";

const program = fileURLToPath(new URL("../../ops/gateway.ts", import.meta.url));

/**
 * The gateway as `npm run gateway` starts it, once it listens.
 *
 * @param env its settings, where others than it has by itself are wanted
 */
export async function startGateway(
  indexers: readonly string[],
  env: Record<string, string> = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      INDEXERS: indexers.join(","),
      GATEWAY_MAX_LAG_SECONDS: "1000000000",
      ...env,
    },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  trackChild(child, "SIGTERM");
  // Its output is read to the end, because the gateway keeps writing.
  const output = child.stdout.setEncoding("utf8");
  const listens = new Promise((resolve) => {
    output.on("data", (text: string) => text.includes("listening on port") && resolve(true));
  });
  if (!(await Promise.race([listens, once(child, "exit").then(() => false)])))
    throw new Error("The gateway ended");
  return { url: `http://127.0.0.1:${port}`, stop: () => endChild(child) };
}
