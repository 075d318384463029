import { numberToHex } from "viem";
import { change, name, openStore } from "../../../test/engine/openStore.ts";
import { printSeconds } from "./print.ts";

// Lets handlers append a row and find, insert or change another, in batches as large as those of a backfill.

const BATCHES = 12;
const EVENTS = 10_000;
const NAMES = 40_000;

const owner = numberToHex(0xab, { size: 20 });
const { indexingStore, batch } = await openStore({ eventCount: {} });
const { db } = indexingStore;

async function handle(id: number): Promise<void> {
  const node = numberToHex((id * 7_919) % NAMES, { size: 32 });
  await db.insert(change).values({ id, node, owner, at: id });
  const found = await db.find(name, { node });
  if (found === null) {
    await db
      .insert(name)
      .values({ node, label: `name ${id}`, owner, expiry: BigInt(id), changes: 0, at: id });
  } else {
    await db.update(name, { node }).set({ changes: found.changes + 1, at: id });
  }
}

await printSeconds(async () => {
  for (let part = 0; part < BATCHES; part++) {
    await batch(async () => {
      for (let i = 0; i < EVENTS; i++) await handle(part * EVENTS + i);
    });
  }
});
