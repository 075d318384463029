import { execFileSync } from "node:child_process";
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, onTestFinished, test, vi } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { startDemoChain } from "../../devnet/localChain.ts";
import { ask } from "../support/database.ts";
import { startStack } from "../support/stack.ts";

/** A small file system of its own; null if this user may not make one. */
const disk = mountDisk();

function mountDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "namedex-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=80m", "tmpfs", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

afterAll(() => {
  if (disk === null) return;
  execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true });
});

/** Takes all the room that is left. */
function fill(file: string): void {
  const handle = openSync(file, "w");
  for (let bytes = 2 ** 20; bytes >= 1; bytes /= 2) {
    try {
      for (;;) writeSync(handle, Buffer.alloc(bytes));
    } catch {
      // Too little room for so much at once.
    }
  }
  closeSync(handle);
}

type Status = {
  ready: boolean;
  database: string;
  failing: { why: string } | null;
  chains: { indexed_block_number: number; head_block_number: number }[];
};

const statusOf = async (url: string): Promise<Status> => {
  const reply = await fetch(`${url}/indexing-status`);
  expect(reply.status).toBe(200);
  return (await reply.json()) as Status;
};

const PATIENCE = { timeout: 180_000, interval: 500 };

test.skipIf(disk === null)(
  "with a full disk neither indexer nor replica reports ready, both show the reason, and both continue once there is room",
  async () => {
    const server = inject("databaseServerUrl");
    const tablespace = `small_${process.pid}`;
    const place = join(disk ?? "", "data");
    const [{ folder = "" } = {}] = await ask<{ folder: string }>(
      server,
      "SELECT current_setting('data_directory') AS folder",
    );
    mkdirSync(place);
    const { uid, gid } = statSync(folder);
    chownSync(place, uid, gid);
    await ask(server, `CREATE TABLESPACE ${tablespace} LOCATION '${place}'`);
    onTestFinished(() => ask(server, `DROP TABLESPACE ${tablespace}`).then(() => undefined));
    const local = await startDemoChain();
    onTestFinished(() => local.anvil.stop());
    const stack = await startStack({
      deployment: local.deployment,
      rpcUrl: local.anvil.url,
      prepare: async (url) => {
        await ask(server, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET TABLESPACE ${tablespace}`);
        return {};
      },
    });
    onTestFinished(() => stack.destroy());
    const replica = await stack.startReplica();
    const urls = [stack.url, replica.url];
    for (const url of urls)
      await vi.waitFor(async () => expect((await statusOf(url)).ready).toBe(true), PATIENCE);

    const filler = join(disk ?? "", "filler");
    fill(filler);
    const faults = new Set<string>();
    for (const url of urls) {
      await vi.waitFor(async () => {
        await mineBlocks(local.chain, { count: 1 });
        const { ready, database, failing } = await statusOf(url);
        expect([ready, database, failing]).not.toEqual([true, "ok", null]);
        expect(ready).toBe(false);
        faults.add(failing?.why ?? database);
      }, PATIENCE);
    }
    for (const fault of faults) expect(fault).toMatch(/No space left on device|unreachable/);

    rmSync(filler);
    for (const url of urls) {
      await vi.waitFor(async () => {
        const { ready, chains } = await statusOf(url);
        expect(ready).toBe(true);
        expect(chains[0]?.indexed_block_number).toBe(chains[0]?.head_block_number);
      }, PATIENCE);
    }
  },
);
