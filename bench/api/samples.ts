import type pg from "pg";
import { mainnet } from "../../abis/deployments/mainnet.ts";

/** Things of the generated index to ask for. */
export type Samples = {
  /** Names that the index answers for, a few of which come again and again. Their agents an adapter would be asked for. */
  names: { name: string; node: string; labelhash: string }[];
  /** Owners, as many with one name as there are, without the largest. */
  addresses: string[];
  /** The owner of most names. */
  largestOwner: string;
  /** Names with very many subnames. */
  parents: string[];
  /** Parts of labels, of three letters and more. */
  parts: string[];
  resolvers: { common: string; rare: string };
  /** Ids of agents of names that the index answers for. */
  agents: string[];
  /** A block some minutes before the newest. */
  pastBlock: number;
};

const COLD = 450;
const HOT = 10;
const BLOCKS_AGO = 32;

/** Picks things by chance; every second request is for one of the few hot ones. */
export async function takeSamples(pool: pg.Pool): Promise<Samples> {
  const listed = mainnet.contracts.filter((one) => one.role === "resolver" && one.static);
  const answered = listed.map(({ address }) => `'${address.toLowerCase()}'`).join(",");
  const rows = async <Row extends pg.QueryResultRow>(sql: string) => (await pool.query<Row>(sql)).rows;
  const [size] = await rows<{ names: number }>("select count(*)::int as names from domains");
  const share = Math.min(100, 2_000_000 / (size?.names ?? 1));
  const names = await rows<Samples["names"][number]>(
    `select full_name as name, node, labelhash from domains tablesample bernoulli (${share})
     where resolver in (${answered}) and is_name_known
     and not exists (select from agent_bindings bound where bound.node = domains.node) order by md5(node) limit ${COLD}`,
  );
  const [largest] = await rows<{ owner: string }>(
    `select effective_owner_address as owner from domains where effective_owner_address is not null
     group by 1 order by count(*) desc, 1 limit 1`,
  );
  const owners = await rows<{ owner: string }>(
    `select owner from (select distinct effective_owner_address as owner from domains tablesample bernoulli (${share})
     where effective_owner_address is not null and effective_owner_address <> '${largest?.owner ?? ""}' and not exists (
       select from primary_names claim join domains claimed on left(claimed.full_name, 128) = claim.name
       where claim.address = domains.effective_owner_address
         and (claimed.resolver is null or claimed.resolver not in (${answered}))
     )) as owners order by md5(owner) limit ${COLD}`,
  );
  const parents = await rows<{ name: string }>(
    `select d.full_name as name from domains d join (select parent_node from domains where full_name like '%.%.eth'
       group by 1 order by count(*) desc, 1 limit 40) largest on largest.parent_node = d.node`,
  );
  const resolvers = await rows<{ resolver: string }>(
    `select resolver from domains where resolver in (${answered}) group by 1 order by count(*) desc`,
  );
  const agents = await rows<{ id: string }>(
    `select agent_id::text as id from agent_bindings join domains using (chain_id, node)
     where resolver in (${answered}) order by md5(agent_id::text) limit ${COLD}`,
  );
  const [newest] = await rows<{ block: number }>(
    "select max(block_number)::int as block from events where chain_id = 1",
  );
  return {
    names: withHot(names),
    addresses: withHot(owners.map(({ owner }) => owner)),
    largestOwner: largest?.owner ?? "",
    parents: parents.map(({ name }) => name),
    parts: names.filter(({ name }) => name.length > 9).map(({ name }, i) => name.slice(0, 3 + (i % 4))),
    resolvers: { common: resolvers[0]?.resolver ?? "", rare: resolvers.at(-1)?.resolver ?? "" },
    agents: agents.map(({ id }) => id),
    pastBlock: (newest?.block ?? 0) - BLOCKS_AGO,
  };
}

const withHot = <T>(cold: T[]): T[] => cold.flatMap((one, i) => [one, cold[i % HOT] as T]);
