import { beforeAll, expect, inject, test } from "vitest";
import { chanceOf } from "../../../bench/api/chance.ts";
import { isLong } from "../../support/size.ts";
import { loadModel, randomList } from "../randomLists.ts";
import { ask } from "../stage.ts";

/* Random lists within the schema, by filters, orders and pages, compared with a plain evaluation over all entities in memory. */

const runs = isLong() ? 300 : 30;
beforeAll(loadModel);

test(`${runs} random lists equal a plain evaluation (FUZZ_SEED=${inject("seed")})`, async () => {
  const chance = chanceOf(inject("seed"));
  let found = 0;
  for (let run = 0; run < runs; run++) {
    const { query, variables, expected } = randomList(chance);
    const { list } = await ask<{ list: object[] }>(query, variables);
    expect({ query, variables, list }).toEqual({ query, variables, list: expected });
    found += list.length;
  }
  expect(found).toBeGreaterThan(runs);
});
