import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EndColumn, endingsOfEnsv1, endOf, endText } from "../../src/api/names/rules/ends.ts";
import { lifeOfEnsv1 } from "../../src/api/names/rules/life.ts";
import { isOfRegistrar } from "../../src/api/names/rules/nameRules.ts";
import { all, type Condition, holds } from "../../src/ens/condition.ts";
import { managedNames } from "../../src/ens/managedNames.ts";
import { ETH_NODE } from "../../src/ens/name.ts";
import { lapsedToken, PARENT_CANNOT_CONTROL } from "../../src/ens/wrapper.ts";
import { account, CHAIN_ID } from "../query/rows.ts";
import { useTables } from "../query/tables.ts";

const DAY = 86_400n;
const EXPIRY = 1_800_000_000n;
const pastGrace = all(isOfRegistrar, lifeOfEnsv1.inPhase("premium", "ended")) as Condition<EndColumn>;
const rules = { wrapper_expiry: lapsedToken, grace_end: pastGrace };

const tables = useTables();

type Row = {
  [column in Exclude<EndColumn, "parentNode" | "chainId">]: column extends "wrapperFuses"
    ? number | null
    : bigint | null;
} & {
  parentNode: string | null;
  chainId: number;
};

const expiry = fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const row: fc.Arbitrary<Row> = fc.record({
  wrapperFuses: fc.option(fc.constantFrom(0, 1, PARENT_CANNOT_CONTROL, PARENT_CANNOT_CONTROL + 5)),
  wrapperExpiryTimestamp: expiry,
  parentNode: fc.constantFrom(ETH_NODE, account(1), null, ...managedNames.map(({ node }) => node)),
  chainId: fc.constantFrom(CHAIN_ID, ...managedNames.map(({ chainId }) => chainId)),
  expiryTimestamp: expiry,
});

describe("what time alone ends", () => {
  const none = {
    wrapperFuses: null,
    wrapperExpiryTimestamp: null,
    parentNode: ETH_NODE,
    chainId: CHAIN_ID,
    expiryTimestamp: null,
  };

  test("a token that its parent gave up ends one second after its expiry, any other never", () => {
    const token = { ...none, wrapperExpiryTimestamp: EXPIRY };
    expect(endOf("wrapper_expiry", { ...token, wrapperFuses: PARENT_CANNOT_CONTROL })).toBe(EXPIRY + 1n);
    expect(endOf("wrapper_expiry", { ...token, wrapperFuses: 1 })).toBeNull();
    expect(endOf("wrapper_expiry", none)).toBeNull();
  });

  test("the grace of a .eth name ends one second after 90 days, other names have none", () => {
    const name = { ...none, expiryTimestamp: EXPIRY };
    expect(endOf("grace_end", name)).toBe(EXPIRY + 90n * DAY + 1n);
    expect(endOf("grace_end", { ...name, parentNode: account(1) })).toBeNull();
    for (const { chainId, node } of managedNames) {
      const ofLayer2 = { ...name, chainId, parentNode: node };
      expect(endOf("grace_end", ofLayer2)).toBe(EXPIRY + 90n * DAY + 1n);
      expect(endOf("grace_end", { ...ofLayer2, chainId: CHAIN_ID })).toBeNull();
    }
    expect(endOf("grace_end", none)).toBeNull();
  });

  test.each(endingsOfEnsv1)("%s: the rule holds from the end on, and not the second before", (ending) => {
    fc.assert(
      fc.property(row, (one) => {
        const end = endOf(ending, one);
        if (end === null) return !holds<EndColumn>(rules[ending], one, 2n ** 80n);
        return holds<EndColumn>(rules[ending], one, end) && !holds<EndColumn>(rules[ending], one, end - 1n);
      }),
    );
  });

  test.each(endingsOfEnsv1)("%s: SQL says the same", async (ending) => {
    const rows = [none, ...fc.sample(row, 300)];
    const columns: Record<EndColumn, string> = {
      wrapperFuses: "fuses",
      wrapperExpiryTimestamp: "wrapper_expiry",
      parentNode: "parent",
      chainId: "chain",
      expiryTimestamp: "expiry",
    };
    const { rows: answered } = await tables.pool.query<{ end: string | null }>(
      `select (${endText(ending, (name) => columns[name])})::text as end
       from unnest($1::bigint[], $2::numeric[], $3::text[], $4::numeric[], $5::int[])
         with ordinality as one (fuses, wrapper_expiry, parent, expiry, chain, place) order by place`,
      [
        rows.map(({ wrapperFuses }) => wrapperFuses),
        rows.map(({ wrapperExpiryTimestamp }) => wrapperExpiryTimestamp?.toString() ?? null),
        rows.map(({ parentNode }) => parentNode),
        rows.map(({ expiryTimestamp }) => expiryTimestamp?.toString() ?? null),
        rows.map(({ chainId }) => chainId),
      ],
    );
    expect(answered.map(({ end }) => end)).toEqual(rows.map((one) => endOf(ending, one)?.toString() ?? null));
  });
});
