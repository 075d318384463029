import { type Address, getAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { MAX_ENTRIES } from "../../src/api/names/query/list.ts";
import { failure, useApi, withQuery } from "./api.ts";
import { claimer, fillHistories } from "./longHistories.ts";
import { account, contracts, NOW, transaction } from "./rows.ts";
import { useTables } from "./tables.ts";

const PAGE = 25;
/** Entries in each history: more than an answer without pages holds. */
const ENTRIES = MAX_ENTRIES + 2 * PAGE + 3;

const tables = useTables();
const api = useApi(tables, NOW);

type Entries = Record<string, unknown>[];
type Answer = Record<"history" | "registrations" | "renewals" | "events", Entries> & {
  total: number;
  page?: number;
};

const read = (path: string) => api.ask<Answer>(path.startsWith("/") ? path : `/domain/many.eth/${path}`);

/** Every entry of a history, page by page, including an empty page after the last. */
async function walk(path: string, entriesOf: (answer: Answer) => Entries): Promise<Entries> {
  const all: Entries = [];
  for (let page = 1; ; page++) {
    const answer = await read(withQuery(path, `page=${page}`));
    expect(answer).toMatchObject({ page, page_size: PAGE });
    const entries = entriesOf(answer);
    expect(entries).toHaveLength(Math.min(PAGE, Math.max(0, answer.total - all.length)));
    if (entries.length === 0) return all;
    all.push(...entries);
  }
}

beforeAll(async () => {
  await fillHistories(tables, ENTRIES);
});

const historyOf = ({ history }: Answer) => history;

/** Some generated owners coincide with contracts of the deployment. */
const titleAt = (address: Address) => {
  const title = contracts.contractTitle(address, contracts.chainId);
  return title === undefined ? {} : { title };
};
const blocks = Array.from({ length: ENTRIES }, (_, i) => i + 1);

/** The period that began in block `block`. */
const period = (block: number) => ({
  address: getAddress(account(block)),
  ...titleAt(account(block)),
  from_timestamp: block,
  from_block: block,
  from_tx: transaction(block),
  to_timestamp: block < ENTRIES ? block + 1 : null,
  to_block: block < ENTRIES ? block + 1 : null,
  to_tx: block < ENTRIES ? transaction(block + 1) : null,
});

const owned = (block: number) => ({ ...period(block), reason: "registry", event_type: "NewOwner" });

describe("a long history", () => {
  test.each([
    ["ownership-history", owned],
    ["resolver-history", period],
  ])("%s: pages lead to every period, each with its own end", async (path, expected) => {
    expect(await walk(path, historyOf)).toEqual(blocks.map(expected));
  });

  test.each([
    ["ownership-history", owned],
    ["resolver-history", period],
  ])(
    "%s: without `page`, the newest entries are returned oldest first, with the total",
    async (path, expected) => {
      const { history, ...rest } = await read(path);
      expect(rest).toEqual({ total: ENTRIES });
      expect(history).toEqual(blocks.slice(-MAX_ENTRIES).map(expected));
    },
  );

  test("`audit` pages and counts the history of each contract", async () => {
    const answer = await read("ownership-history?audit=true&page=2");
    expect(answer).toMatchObject({
      registry: blocks.slice(PAGE, 2 * PAGE).map(period),
      registrar: [],
      audit_totals: { registry: ENTRIES, registrar: 0, wrapper: 0 },
    });
  });

  test("events", async () => {
    const placeOf = (entries: Entries) => entries.map((one) => [one.block_number, one.log_index]);
    const expected = blocks.flatMap((block) => [
      [block, 4],
      [block, 5],
    ]);
    expect(placeOf(await walk("events", ({ events }) => events))).toEqual(expected);
    const { events, total } = await read("events");
    expect(total).toBe(2 * ENTRIES);
    expect(placeOf(events)).toEqual(expected.slice(-MAX_ENTRIES));
  });

  test("registrations and renewals share pages", async () => {
    const both = ({ registrations, renewals }: Answer) => [...registrations, ...renewals];
    const walked = await walk("registration-history", both);
    const inOrder = walked.map((one) => Number(one.block_number)).toSorted((a, b) => a - b);
    expect(inOrder).toEqual(blocks);
    const newest = await read("registration-history");
    expect(newest.total).toBe(ENTRIES);
    expect(both(newest)).toHaveLength(MAX_ENTRIES);
    expect(newest.registrations.map((one) => one.block_number)).toEqual(
      blocks.slice(-MAX_ENTRIES).filter((block) => block % 100 === 0),
    );
    expect(await read("registration-history?merged=false&page=1")).toMatchObject({ total: 2 * ENTRIES });
  });

  test("a text, newest first", async () => {
    const path = "/domain/texts.eth/records/text/url/history";
    const expected = blocks.toReversed().map((block) => `value ${block}`);
    const valuesOf = (entries: Entries) => entries.map(({ value }) => value);
    expect(valuesOf(await walk(path, historyOf))).toEqual(expected);
    const { history, total } = await read(path);
    expect(total).toBe(ENTRIES);
    expect(valuesOf(history)).toEqual(expected.slice(0, MAX_ENTRIES));
  });

  test("claims of an address", async () => {
    const path = `/address/${claimer}/primary-name?history=true`;
    const namesOf = (entries: Entries) => entries.map(({ name }) => name);
    const expected = blocks.map((block) => `name${block}.eth`);
    expect(namesOf(await walk(path, historyOf))).toEqual(expected);
    const { history, total } = await read(path);
    expect(total).toBe(ENTRIES);
    expect(namesOf(history)).toEqual(expected.slice(-MAX_ENTRIES));
  });
});

test.each(["events", "ownership-history", "resolver-history", "registration-history"])(
  "%s?page=0 is refused",
  async (path) => {
    expect(await api.get(`/domain/many.eth/${path}?page=0`)).toMatchObject(failure("INVALID_PARAMETER"));
  },
);
