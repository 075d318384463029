import { expect, test } from "vitest";
import { runTrial } from "./runTrial.ts";

type Result = { outcomes: string[]; warnings: unknown[][]; tables: Record<string, unknown>[][] };

const results = new Map<number, Promise<Result>>();

function refuse(rows: number): Promise<Result> {
  const result = results.get(rows) ?? runTrial<Result>("refusedTrial.ts", { args: [String(rows)] });
  results.set(rows, result);
  return result;
}

/** Ponder writes up to 20 rows of a table by INSERT, and more by COPY. */
test.each([10, 300])(
  "of %i rows those that PostgreSQL refuses are stored without what it refuses",
  async (rows) => {
    const { outcomes, warnings, tables } = await refuse(rows);
    expect(outcomes.slice(0, 2)).toEqual(["stored", "stored"]);
    const [events = [], records = []] = tables;
    expect(events).toEqual(
      Array.from({ length: rows }, (_, id) => ({
        ...{ id, node: "0xab", key: `key ${id}`, value: "changed" },
        seconds: id === 3 || id === 1 ? null : String(id),
        anomaly: id === 3 || id === 1 ? "PostgreSQL cannot store seconds (22003)" : null,
      })),
    );
    expect(records).toEqual(
      Array.from({ length: rows }, (_, id) => ({
        ...{ id, count: String(id + 1), name: id === 4 || id === 2 ? null : `name ${id}` },
      })).filter(({ id }) => id !== 5),
    );
    const own = warnings.filter(([msg]) => /row/.test(String(msg)) && !/Failed/.test(String(msg)));
    expect(own).toEqual(
      expect.arrayContaining([
        [
          "Stored a row without what PostgreSQL refuses",
          "events",
          '{"id":"3","node":"0xab"}',
          "seconds",
          "22003",
        ],
        ["Stored a row without what PostgreSQL refuses", "records", '{"id":"4"}', "name", "54000"],
        ["Left out a row that PostgreSQL refuses", "records", '{"id":"5"}', null, "22003"],
      ]),
    );
    expect(own).toHaveLength(5);
  },
);

test("a row that breaks a constraint is no refusal: the batch fails as Ponder's own does", async () => {
  const { outcomes } = await refuse(300);
  expect(outcomes[2]).toMatch(/duplicate key|unique constraint/);
});
