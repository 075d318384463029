import { domain } from "ponder:schema";
import fc from "fast-check";
import { type Address, type Hex, namehash } from "viem";
import { beforeAll, expect, test } from "vitest";
import { readAnsweringRows } from "../../src/api/names/resolution/indexedRows.ts";
import { parseName } from "../../src/api/names/schemas/input.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import { BASE, BASE_BRIDGE, contracts } from "../query/layer2.ts";
import { noChain } from "../query/noChain.ts";
import { account, CHAIN_ID, domainRow, NOW } from "../query/rows.ts";
import { useTables } from "../query/tables.ts";

const tables = useTables();
let ctx: Ctx;

beforeAll(async () => {
  ctx = { db: tables.db, contracts, now: NOW, ...noChain, chainHead: async () => null };
});

/** Names of up to four labels below base.eth, and some that are below nothing that a layer 2 manages. */
const below = ["a", "b"].flatMap((one) => [one, `a.${one}`, `b.${one}`, `a.b.${one}`, `a.a.b.${one}`]);
const names = ["base.eth", ...below.map((name) => `${name}.base.eth`), "alice.eth", "a.alice.eth"];

const resolvers = [null, null, null, account(0xee), BASE_BRIDGE] as const;

/** Of each name its row on the main chain and its row on Base: none, or one with a resolver. */
type World = { main: (Address | null | undefined)[]; base: (Address | null | undefined)[] };

const someRows = fc.array(fc.option(fc.constantFrom(...resolvers), { nil: undefined, freq: 3 }), {
  minLength: names.length,
  maxLength: names.length,
});
const world: fc.Arbitrary<World> = fc.record({ main: someRows, base: someRows });

const rowsOf = (chainId: number, found: World["main"]) =>
  found.flatMap((resolver, i) => {
    const name = names[i] as string;
    const isThere = chainId === CHAIN_ID || name.endsWith(".base.eth");
    return resolver === undefined || !isThere ? [] : [domainRow(name, { chainId, resolver })];
  });

/**
 * The same rule in SQL, in another way: it walks from each name up on the main chain to the nearest resolver. Only if it
 * is the managed name's, and asks the layer 2, and the walk did not begin there, the row of Base answers.
 */
const walk = `with recursive asked (node, way) as (select * from unnest($1::text[], $2::jsonb[])),
  step as (
    select node, 0 as place, way from asked
    union all
    select step.node, place + 1, way from step
    where place + 1 < jsonb_array_length(way)
      and not exists (select from domains d where d.chain_id = ${CHAIN_ID} and d.node = way ->> place
        and d.resolver is not null)
  ),
  nearest as (select distinct on (node) node, place, way ->> place as at from step order by node, place desc)
  select nearest.node, coalesce(
      case when on_base.node is not null and nearest.place > 0 and nearest.at = $3 and bridge.resolver = $4
        then ${BASE} end,
      on_main.chain_id) as chain
  from nearest
  left join domains on_main on on_main.chain_id = ${CHAIN_ID} and on_main.node = nearest.node
  left join domains on_base on on_base.chain_id = ${BASE} and on_base.node = nearest.node
  left join domains bridge on bridge.chain_id = ${CHAIN_ID} and bridge.node = nearest.at`;

/** A name and its ancestors, nearest first. */
const wayUp = (name: string): Hex[] => {
  const labels = name.split(".");
  return labels.map((_, i) => namehash(labels.slice(i).join(".")));
};

async function byWalking(): Promise<Map<string, number | null>> {
  const { rows } = await tables.pool.query<{ node: string; chain: number | null }>(walk, [
    names.map((name) => namehash(name)),
    names.map((name) => JSON.stringify(wayUp(name))),
    namehash("base.eth"),
    BASE_BRIDGE,
  ]);
  return new Map(rows.map(({ node, chain }) => [node, chain]));
}

test("the row that answers for a name is the same by name, by node, one by one, in bulk, and by a walk in SQL", async () => {
  const isSame = fc.asyncProperty(world, async ({ main, base }) => {
    await tables.pool.query("truncate domains");
    const rows = [...rowsOf(CHAIN_ID, main), ...rowsOf(BASE, base)];
    if (rows.length > 0) await tables.writer.insert(domain).values(rows);
    const wanted = await byWalking();
    const asked = names.map(parseName);
    const inBulk = await readAnsweringRows(ctx, asked);
    const byNode = await readAnsweringRows(
      ctx,
      asked.map(({ node }) => ({ query: node, node })),
    );
    for (const one of asked) {
      const chain = wanted.get(one.node) ?? undefined;
      const alone = await readAnsweringRows(ctx, [one]);
      expect(alone.get(one.node)?.chainId, one.name).toBe(chain);
      expect(inBulk.get(one.node)?.chainId, one.name).toBe(chain);
      expect(byNode.get(one.node)?.chainId, one.name).toBe(chain);
    }
  });
  await fc.assert(isSame, { numRuns: 60 });
});

test("both rows answer in some of these worlds, or the test above would see nothing", async () => {
  await tables.pool.query("truncate domains");
  await tables.writer
    .insert(domain)
    .values([
      domainRow("base.eth", { resolver: BASE_BRIDGE }),
      domainRow("a.base.eth"),
      domainRow("a.base.eth", { chainId: BASE }),
      domainRow("b.base.eth", { resolver: account(0xee) }),
      domainRow("b.base.eth", { chainId: BASE }),
    ]);
  expect([...(await byWalking()).values()].filter((chain) => chain === BASE)).toHaveLength(1);
});
