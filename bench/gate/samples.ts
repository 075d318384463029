import type pg from "pg";
import { mainnet } from "../../abis/deployments/mainnet.ts";
import { chanceOf } from "../api/chance.ts";

/** The subjects of requests, several of each kind, in random order. */
export type GateSamples = {
  /** Names that the index answers for by itself. */
  names: string[];
  nodes: string[];
  owners: string[];
  parents: string[];
  /** Addresses with a primary name. */
  claimants: string[];
  /** Parts of labels, of three to six letters. */
  parts: string[];
};

/** How many different ones of each a gate needs; with fewer its figure says nothing, and the row is red. */
export const NEEDED: Record<keyof GateSamples, number> = {
  names: 10_000,
  nodes: 10_000,
  owners: 10_000,
  parts: 10_000,
  parents: 1_000,
  claimants: 1_000,
};

const MOST = 10_000;

export async function takeGateSamples(pool: pg.Pool): Promise<GateSamples> {
  const listed = mainnet.contracts.filter((one) => one.role === "resolver" && one.static);
  const answered = listed.map(({ address }) => `'${address.toLowerCase()}'`).join(",");
  const values = async (sql: string) =>
    (await pool.query<{ value: string }>(sql)).rows.map((row) => row.value);
  const { rows } = await pool.query<{ name: string; node: string }>(
    `select full_name as name, node from domains where resolver in (${answered}) and is_name_known
       and not exists (select from agent_bindings bound where bound.node = domains.node)
     order by md5(node) limit ${2 * MOST}`,
  );
  const asked = rows.slice(0, MOST);
  // Several names begin with the same part.
  const parts = new Set(
    rows.filter(({ name }) => name.length > 9).map(({ name }, i) => name.slice(0, 3 + (i % 4))),
  );
  return {
    names: asked.map(({ name }) => name),
    nodes: asked.map(({ node }) => node),
    owners: await values(
      `select owner as value from (select distinct effective_owner_address as owner from domains
         where effective_owner_address is not null) as owners order by md5(owner) limit ${MOST}`,
    ),
    parents: await values(
      `select d.full_name as value from domains d join (select parent_node from domains where full_name like '%.%.eth'
         group by 1 order by md5(parent_node) limit ${MOST}) parents on parents.parent_node = d.node`,
    ),
    // Their answers are the index's own: the claimed name has a resolver that it knows.
    claimants: await values(
      `select claim.address as value from primary_names claim join domains claimed on left(claimed.full_name, 128) = claim.name
       where claimed.resolver in (${answered}) group by 1 order by md5(claim.address) limit ${MOST}`,
    ),
    parts: [...parts].slice(0, MOST),
  };
}

/** `count` of the samples, the first ones far oftener: the k-th about 1/k as often as the first. */
export function drawSkewed<T>(samples: readonly T[], { count, seed }: { count: number; seed: number }): T[] {
  const chance = chanceOf(seed);
  const place = () => Math.floor(samples.length ** chance.next()) - 1;
  return Array.from({ length: count }, () => samples[place()] as T);
}
