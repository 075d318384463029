import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startIndexer } from "../../devnet/indexer.ts";
import { type PonderPlan, parseLine } from "../../devnet/ponder.ts";
import { SettingsError } from "../../settings/settings.ts";

/* `npm run dev` beside another Namedex that has the port and answers as ours would. */

const folder = mkdtempSync(join(tmpdir(), "namedex-indexer-"));
let other: Server;
let port: number;

beforeAll(async () => {
  other = createServer(({ url }, response) => {
    const status = { devnet: { block: { number: 190, timestamp: 1 } }, ready: true };
    response.end(url === "/ready" ? "" : JSON.stringify(status));
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  ({ port } = other.address() as AddressInfo);
});
afterAll(() => {
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A Ponder that runs for a moment and writes one line of its log before it ends. */
const logging =
  (line: object) =>
  ({ onLog }: PonderPlan) => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => process.exit(75), 500)"], {
      stdio: "ignore",
    });
    setTimeout(() => onLog(parseLine(JSON.stringify(line))), 200);
    return { url: `http://127.0.0.1:${port}`, child, pid: child.pid as number, stop: async () => {} };
  };

const startWith = (line: object) =>
  startIndexer({
    env: {},
    port,
    folder,
    logFile: join(folder, "ponder.log"),
    heads: { devnet: 190 },
    start: logging(line),
  });

test("an answer counts once our own server listens", async () => {
  await expect(startWith({ level: 30, msg: "Created HTTP server" })).resolves.toMatchObject({
    url: `http://127.0.0.1:${port}`,
  });
});

test("a port that another program took during the start is named, though that program answers", async () => {
  const error = { name: "Error", message: `The port ${port} cannot be opened (EADDRINUSE)`, stack: "" };
  const start = startWith({ level: 50, msg: "unhandledRejection", error });
  await expect(start).rejects.toThrow(SettingsError);
  await expect(start).rejects.toThrow(`Another program took port ${port} during the start`);
});
