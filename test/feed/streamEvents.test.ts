import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { createEventTexts, inWrites, orAborted } from "../../src/api/features/feed/stream/events.ts";
import { contracts } from "../query/rows.ts";

const row: ChangeRow = {
  number: 7,
  state: "new" as const,
  type: "label.known",
  chainId: contracts.chainId,
  source: "labels",
  slot: "label",
  key: ["1", "0x01"],
  node: null,
  name: null,
  resolver: null,
  addresses: [],
  details: {},
  blockNumber: 1,
  blockHash: "0x02",
  blockTimestamp: 3,
  transactionHash: null,
  logIndex: null,
  oldValue: null,
  newValue: { label: "a\nb" },
  takenBack: null,
};

test("a change is one event, whatever its texts contain, and is serialised once for all readers", () => {
  let made = 0;
  const count = (id: number) => {
    made++;
    return contracts.chainName(id);
  };
  const counting = { ...contracts, chainName: count };
  const textOf = createEventTexts(counting);
  const text = textOf(row, "aaaaaaaaaaaa");
  expect(text).toMatch(/^event: change\nid: aaaaaaaaaaaa-7\ndata: \{.*\}\n\n$/);
  expect(text.split("\n\n")).toHaveLength(2);
  expect(textOf(row, "aaaaaaaaaaaa")).toBe(text);
  expect(made).toBe(1);
});

test("texts are joined into few writes, none of them large except for a large text", () => {
  const texts = Array.from({ length: 100 }, (_, i) => String(i % 10).repeat(2_000));
  const writes = [...inWrites([...texts, "x".repeat(100_000)])];
  expect(writes.join("")).toBe(`${texts.join("")}${"x".repeat(100_000)}`);
  expect(writes.length).toBeLessThan(6);
  for (const write of writes.slice(0, -1)) expect(write.length).toBeLessThanOrEqual(65_536);
  expect([...inWrites([])]).toEqual([]);
});

test("waiting for a write ends with its reader and leaves nothing behind", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  for (let i = 0; i < 100; i++) await orAborted(Promise.resolve(), signal);
  await expect(orAborted(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  const stuck = orAborted(new Promise(() => {}), signal);
  controller.abort();
  await stuck;
  await orAborted(new Promise(() => {}), signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
