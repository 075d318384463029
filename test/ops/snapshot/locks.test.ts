import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteWork, takeRestoreLock } from "../../../ops/snapshot/locks.ts";
import { createTestDatabase } from "../../support/database.ts";

const SHORT = { another: "200ms", killed: "200ms" };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
const clients: pg.Client[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  for (let i = 0; i < 3; i++) {
    clients.push(new pg.Client({ connectionString: database.url }));
    await clients[i]?.connect();
  }
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
});

test("a restore waits for a limited time for another one, and for what a killed one left running", async () => {
  const [first, second, worker] = clients as [pg.Client, pg.Client, pg.Client];
  await takeRestoreLock(first, "names");
  await expect(takeRestoreLock(second, "names", SHORT)).rejects.toThrow(/Another restore into "names"/);
  await takeRestoreLock(second, "other_names", SHORT);
  await first.query("select pg_advisory_unlock_all()");

  await noteWork(worker, "names");
  await expect(takeRestoreLock(first, "names", SHORT)).rejects.toThrow(
    /Connections of an interrupted restore into "names"[\s\S]*application_name = 'names_restore'/,
  );
  await first.query("select pg_advisory_unlock_all()");
  const waiting = takeRestoreLock(second, "names", { ...SHORT, killed: "20s" });
  await worker.query("select pg_advisory_unlock_all()");
  await waiting;
  expect((await second.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "0" }]);
});
