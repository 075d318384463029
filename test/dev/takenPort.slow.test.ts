import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startDemoChain } from "../devnet/localChain.ts";
import { ask, startPonder, until } from "../devnet/ponder.ts";
import { freePort } from "../devnet/ports.ts";
import { createTestDatabase } from "../support/database.ts";
import { bareEnvironment } from "../support/environment.ts";

const PATIENCE_MS = 180_000;

test("where another program takes the port in the last moment, the port that Ponder takes is known", async () => {
  const local = await startDemoChain();
  onTestFinished(() => local.anvil.stop());
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const folder = mkdtempSync(join(tmpdir(), "namedex-taken-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const deployment = join(folder, "deployment.json");
  writeFileSync(deployment, JSON.stringify(local.deployment));

  const port = await freePort();
  const other = createServer().listen(port);
  onTestFinished(() => void other.close());
  const lines: string[] = [];
  const ponder = startPonder({
    ...{ command: "start", port, folder, onLog: ({ text }) => lines.push(text) },
    env: {
      ...bareEnvironment,
      ENS_NETWORK: "custom",
      ENS_DEPLOYMENT: deployment,
      [`RPC_URL_${local.anvil.chainId}`]: local.anvil.url,
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: "taken",
    },
  });
  onTestFinished(() => ponder.stop());
  const look = async () =>
    ponder.url !== `http://127.0.0.1:${port}` && (await ask(`${ponder.url}/health`))?.ok === true;
  await until(ponder, { look, timeout: PATIENCE_MS, describe: () => lines.join("\n") });
  expect(await (await fetch(`${ponder.url}/indexing-status`)).json()).toMatchObject({ schema: "taken" });
});
