import { readFileSync } from "node:fs";
import { event } from "ponder:schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ethNode } from "../../devnet/acts/names.ts";
import { compareFigures, type Figure, readFigures, reportFigures } from "../../ops/verify/figures.ts";
import { CHAIN_ID, deployment, type EventRow, eventRow, transaction } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";

const DAY = 86_400;
const NOW = 1_700_000_000;
const CONTROLLER = deployment.contracts.find(({ role }) => role === "controller")?.address ?? "0x";
const BLOCK = 10;

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  await setProgress(tables, { chainId: CHAIN_ID, block: BLOCK, time: NOW });
  let logIndex = 0;
  type Fields = Partial<EventRow>;
  const log = (label: string, fields: Fields & Pick<EventRow, "contract" | "eventType">) =>
    eventRow({ block: BLOCK, log: logIndex++ }, { node: ethNode(label), blockTimestamp: NOW, ...fields });
  const sold = (label: string, values: Fields) =>
    log(label, {
      contract: "CONTROLLER",
      contractAddress: CONTROLLER,
      eventType: "NameRegistered",
      name: `${label}.eth`,
      ...values,
    });
  const registered = (label: string, expires: number, values: Fields = {}) =>
    log(label, {
      contract: "REGISTRAR",
      eventType: "NameRegistered",
      expiryTimestamp: BigInt(expires),
      ...values,
    });
  await tables.writer.insert(event).values([
    registered("kept", NOW + DAY),
    sold("kept", { costWei: 100n }),
    registered("grace", NOW - 90 * DAY + 1),
    registered("over", NOW - 90 * DAY),
    sold("over", { costWei: 1_000n }),
    sold("kept", {
      eventType: "NameRenewed",
      costWei: 50n,
      exactCostWei: 20n,
      costIsUpperBound: true,
      transactionHash: transaction(77),
    }),
    sold("kept", {
      eventType: "NameRenewed",
      costWei: 7n,
      costIsUpperBound: true,
      transactionHash: transaction(77),
    }),
    // Neither later blocks nor other contracts count.
    sold("later", { costWei: 10_000n, blockNumber: BLOCK + 1 }),
    registered("later", NOW + DAY, { blockNumber: BLOCK + 1 }),
    sold("elsewhere", { costWei: 10_000n, contractAddress: "0x00000000000000000000000000000000000000aa" }),
  ]);
});
afterAll(() => tables?.drop());

const compare = (figures: Figure[]) =>
  compareFigures({ databaseUrl: tables.databaseUrl, schema: "public", deployment }, figures);

describe("published figures", () => {
  const expected: Record<Figure["measure"], string> = {
    controller_events: "4",
    kept_wei: String(100 + 1_000 + 20 + 7),
    overstated_wei: "30",
    registered_names: "3",
    claimable_names: "2",
    claimable_labels: "1",
    transaction_kept_wei: "27",
  };

  test("are computed from the index's rows up to their block", async () => {
    const figures = Object.entries(expected).map(([measure, value]) => ({
      measure: measure as Figure["measure"],
      block: BLOCK,
      value,
      source: "a test",
      transaction: transaction(77),
    }));
    const compared = await compare(figures);
    expect(Object.fromEntries(compared.map(({ measure, index }) => [measure, index]))).toEqual(expected);
    expect(reportFigures(compared)).toMatchObject({ code: 0 });
  });

  test("that differ exit with 1, and those of blocks that the index has not reached with 2", async () => {
    const figure = (block: number, value: string): Figure => ({
      measure: "controller_events",
      block,
      value,
      source: "a test",
    });
    const different = await compare([figure(BLOCK, "5")]);
    expect(reportFigures(different)).toMatchObject({ code: 1, text: expect.stringContaining("different") });
    const later = await compare([figure(BLOCK + 1, "5")]);
    expect(later[0]?.index).toBeNull();
    expect(reportFigures(later)).toMatchObject({ code: 2, text: expect.stringContaining("not reached") });
  });

  test("shipped with Namedex match the page", () => {
    const figures = readFigures(readFileSync("docs/figures.json", "utf8"));
    const page = readFileSync("docs/verified.md", "utf8");
    for (const { measure, block } of figures) {
      expect(page).toContain(`| \`${measure}\` | ${block.toLocaleString("en")} |`);
    }
    expect(new Set(figures.map(({ measure }) => measure))).toEqual(new Set(Object.keys(expected)));
  });

  test.each([
    ["{"],
    ['[{"measure":"sum"}]'],
    ['[{"measure":"kept_wei","block":1,"value":"0x1","source":"a"}]'],
  ])("are not read from %s", (text) => expect(() => readFigures(text)).toThrow("docs/verified.md"));
});
