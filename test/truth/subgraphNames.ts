import type { Hex } from "viem";
import { type Chain, ROOT_NODE } from "../../devnet/acts.ts";
import { nodeOfShown } from "../chain/onChain.ts";
import { expectedDomain } from "../subgraph/oracle.ts";

export type Expected = Awaited<ReturnType<typeof expectedDomain>>;

/** The names of an index, as the contracts have them. */
export type SubgraphNames = {
  /** Every domain of the subgraph by its id and name, including the root. */
  listed: readonly { id: Hex; name: string }[];
  /** The contracts' state of each, without the root. */
  expected: readonly Expected[];
};

const MOST = 1_000;

export async function readSubgraphNames(url: string, chain: Chain): Promise<SubgraphNames> {
  const listed = await listDomains(url);
  const named = listed.filter(({ id }) => id !== ROOT_NODE);
  const expected = await Promise.all(named.map(({ name }) => expectedDomain(name, chain)));
  return { listed, expected };
}

/** The data of a query. @throws if it is answered with an error */
export async function askSubgraph<Data>(
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Data> {
  const reply = await fetch(`${url}/subgraph`, {
    method: "POST",
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await reply.json()) as { data?: Data; errors?: unknown };
  if (data === undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}

/** All entities of the index, by their ids. */
async function listDomains(url: string): Promise<{ id: Hex; name: string }[]> {
  const found: { id: Hex; name: string }[] = [];
  for (let last = ""; ; ) {
    const query = `{ domains(first: ${MOST}, where: { id_gt: "${last}" }) { id name } }`;
    const { domains } = await askSubgraph<{ domains: { id: Hex; name: string }[] }>(url, query);
    found.push(...domains);
    const next = domains.at(-1)?.id;
    if (next === undefined) return found;
    last = next;
  }
}

export const labelOf = ({ name }: { name: string }): string => name.split(".")[0] ?? "";
export const parentOf = ({ name }: { name: string }): Hex => nodeOfShown(name.split(".").slice(1).join("."));
