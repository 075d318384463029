import { describe, expect, test } from "vitest";
import { beforeEach as beforeOf } from "../../src/api/features/explorer/pages/name/before.ts";
import { contractInWords } from "../../src/api/features/explorer/parts/contract.ts";
import { secondOf } from "../../src/api/features/explorer/parts/days.ts";
import type { DomainEvent } from "../../src/api/features/explorer/replies.ts";

let logged = 0;
const log = (fields: Partial<DomainEvent>): DomainEvent => ({
  id: `1-1-${logged++}-0`,
  contract: "RESOLVER_7",
  contract_address: "0xA",
  event_type: "TextChanged",
  block_number: 1,
  block_timestamp: 1,
  transaction_hash: "0x1",
  log_index: 1,
  chain: "devnet",
  ...fields,
});
const text = (value: string | undefined, more: Partial<DomainEvent> = {}) =>
  log({ key: "url", ...(value !== undefined && { value }), ...more });

/** The previous value for each of some logs in order; null for those that set no record. */
const beforeIn = (logs: DomainEvent[], isWhole = true) => {
  const before = beforeOf(logs, isWhole);
  return logs.map((one) => before.get(one) ?? null);
};

describe("a record's previous value", () => {
  test("is the last value of the same record at the same resolver", () => {
    const logs = [text("a"), log({ coin_type: "60", address: "0x1" }), text("b"), text(""), text("c")];
    expect(beforeIn(logs)).toEqual(["nothing", "nothing", { value: "a" }, { value: "b" }, { value: "" }]);
    expect(beforeIn([text("a"), text("b", { contract_address: "0xB" })])).toEqual(["nothing", "nothing"]);
  });

  test("is empty once all records of the resolver ended, while those of another resolver stay", () => {
    const other = { contract_address: "0xB" } as const;
    const ended = log({ event_type: "VersionChanged" });
    const logs = [text("a"), text("b", other), ended, text("c"), text("d", other)];
    expect(beforeIn(logs)).toEqual(["nothing", "nothing", null, "nothing", { value: "b" }]);
  });

  test("is unknown if earlier logs are not at hand or carry no value", () => {
    expect(beforeIn([text("a"), text("b")], false)).toEqual(["not known", { value: "a" }]);
    expect(beforeIn([text(undefined), text("b")])).toEqual(["nothing", "not known"]);
  });
});

test.each([
  ["RESOLVER_45", "Resolver (block 45)"],
  ["CONTROLLER_22764821", "Controller (block 22,764,821)"],
  ["REGISTRY", "Registry"],
  ["ENSV2_REGISTRY", "ENSv2: registry"],
  ["SOME_NEW_THING", "some new thing"],
])("the contract %s is shown as %s", (label, words) => {
  expect(contractInWords(label)).toBe(words);
});

test("a day is its first or its last second, and anything else is left for the operation to refuse", () => {
  expect(secondOf("1970-01-02", "first")).toBe("86400");
  expect(secondOf("1970-01-02", "last")).toBe("172799");
  expect(secondOf("tomorrow", "first")).toBe("tomorrow");
  expect(secondOf(undefined, "first")).toBeUndefined();
});
