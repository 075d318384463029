import { statusOf } from "../errorWords.ts";
import type { ExplorerPage } from "../page.ts";
import { AgentTrust } from "../parts/agent.tsx";
import { Card, Empty, Unavailable } from "../parts/card.tsx";
import { Field, Select } from "../parts/form.tsx";
import { AddressLink } from "../parts/hash.tsx";
import { NameLink } from "../parts/name.tsx";
import { firstIn, ListPager, placeIn, withQuery } from "../parts/pager.tsx";
import { ItemTable } from "../parts/table.tsx";
import type { AgentItem, Paged } from "../replies.ts";

const bindings = [
  ["", "Any"],
  ["true", "Bound to the name"],
  ["false", "Not bound to the name"],
] as const;

const claims = [
  ["", "Any"],
  ["true", "Claimed by the name"],
  ["false", "Not claimed"],
] as const;

/** The directory of agents. */
export const agentsPage: ExplorerPage = {
  path: "/explore/agents",
  render: async (visit) => {
    const filters = {
      q: visit.query("q"),
      is_bound: visit.query("is_bound"),
      has_ensip25_registration: visit.query("has_ensip25_registration"),
      chain: visit.query("chain"),
    };
    const place = placeIn(visit);
    const list = await visit.tryAsk<{ agents: AgentItem[] } & Paged>("/agents", { ...filters, ...place });
    return {
      title: "Agents",
      description: "ERC-8004 agents claimed by ENS names or bound to their tokens.",
      canonical: withQuery("explore/agents", { ...filters, ...place, from: visit.query("from") }),
      section: "agents",
      status: statusOf(list),
      body: (
        <>
          <h1>Agents</h1>
          <p class="lead">
            ERC-8004 agents that ENS names claim, or that an adapter binds to a name's token.
          </p>
          <Card id="directory" title="Directory" isWide>
            <form class="filters" action="explore/agents" method="get">
              <Field name="q" label="Name contains" value={filters.q} maxlength={255} />
              <Select name="is_bound" label="Binding" options={bindings} value={filters.is_bound} />
              <Select
                name="has_ensip25_registration"
                label="Claim"
                options={claims}
                value={filters.has_ensip25_registration}
              />
              <button type="submit">Search</button>
            </form>
            {list instanceof Error ? (
              <Unavailable error={list} />
            ) : (
              <>
                {list.agents.length === 0 ? (
                  <Empty>No agents match.</Empty>
                ) : (
                  <Directory agents={list.agents} />
                )}
                <ListPager
                  list={list}
                  first={firstIn(visit, list)}
                  what="agents"
                  urlOf={(other) => withQuery("explore/agents", { ...filters, ...other })}
                />
              </>
            )}
          </Card>
        </>
      ),
    };
  },
};

/** Where the explorer shows an agent. */
const agentUrl = ({ agent_id, chain }: AgentItem): string =>
  withQuery(`explore/agents/${agent_id}`, { chain });

const Directory = ({ agents }: { agents: readonly AgentItem[] }) => (
  <ItemTable
    caption="Agents"
    items={agents}
    columns={[
      { title: "Agent", cell: (agent) => <Agent agent={agent} /> },
      {
        title: "Name",
        cell: ({ name }) => (name === null ? <span class="faint">no name</span> : <NameLink name={name} />),
      },
      { title: "Trust", cell: (agent) => <AgentTrust agent={agent} /> },
      { title: "Owner in the registry", cell: (agent) => <Owner address={agent.binding?.agent_owner} /> },
      { title: "Block", cell: (agent) => agent.block_number.toLocaleString("en"), isNumber: true },
    ]}
  />
);

const Agent = ({ agent }: { agent: AgentItem }) => (
  <>
    <a class="name" href={agentUrl(agent)}>
      {`Agent ${agent.agent_id}`}
    </a>{" "}
    <span class="faint">{agent.chain}</span>
  </>
);

const Owner = ({ address }: { address: string | null | undefined }) =>
  address == null ? <span class="faint">unknown</span> : <AddressLink address={address} />;
