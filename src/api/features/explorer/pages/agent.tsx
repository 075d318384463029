import { ApiError } from "../../../server/errors/errors.ts";
import type { ExplorerPage } from "../page.ts";
import { AgentTrust } from "../parts/agent.tsx";
import { Card, Empty, type Fact, Facts } from "../parts/card.tsx";
import { AddressLink, Transaction } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { TextOrLink } from "../parts/link.tsx";
import { NameLink } from "../parts/name.tsx";
import { withQuery } from "../parts/pager.tsx";
import { Profile } from "../parts/profile.tsx";
import type { AgentItem } from "../replies.ts";

type Reply = AgentItem | { agent_id: string; indexed: false };

/** One agent, with the name to which it belongs. */
export const agentPage: ExplorerPage = {
  path: "/explore/agents/:id",
  render: async (visit) => {
    const chain = visit.query("chain");
    const agent = await visit.ask<Reply>("/agents/{agentId}", { agentId: visit.param("id"), chain });
    if ("indexed" in agent) {
      const message = `Agent ${agent.agent_id} is not bound by an adapter and not claimed by any indexed name.`;
      throw new ApiError("NOT_FOUND", message);
    }
    const title = `Agent ${agent.agent_id}`;
    return {
      title,
      description: `${title}${agent.name === null ? "" : ` of ${agent.name}`}: binding, claim and profile.`,
      canonical: withQuery(`explore/agents/${agent.agent_id}`, { chain: agent.chain }),
      section: "agents",
      body: (
        <>
          <div class="heading">
            <div class="heading-title">
              <h1>{title}</h1>
              <AgentTrust agent={agent} />
            </div>
            <p class="actions">
              <a class="button" href={withQuery(`agents/${agent.agent_id}`, { chain: agent.chain })}>
                <Icon name="code" /> JSON
              </a>
            </p>
          </div>
          <div class="cards">
            <Card id="belongs" title="Name">
              <p>
                {agent.name === null ? (
                  <span class="faint">A token that is not a name.</span>
                ) : (
                  <NameLink name={agent.name} />
                )}
              </p>
              <Trust agent={agent} />
            </Card>
            <Card id="registry" title="Registry and binding">
              <Facts facts={factsOf(agent)} />
            </Card>
            <Card id="profile" title="Profile" isWide>
              {agent.profile === null ? (
                <Empty>The profile is not indexed.</Empty>
              ) : (
                <Profile profile={agent.profile} />
              )}
            </Card>
          </div>
        </>
      ),
    };
  },
};

const Trust = ({ agent }: { agent: AgentItem }) => (
  <ul class="fuses">
    <li>
      {agent.is_bound
        ? "An adapter binds the agent to the token. The token's holder at that time created the binding."
        : "No adapter binds the agent to the name's token."}
    </li>
    <li>
      {agent.has_ensip25_registration === null
        ? "Whether the name claims the agent is not indexed."
        : agent.has_ensip25_registration
          ? "The name claims the agent in a record, which its owner wrote."
          : "The name does not claim the agent."}
    </li>
  </ul>
);

const factsOf = ({ binding, ...agent }: AgentItem): (Fact | false)[] => [
  ["Chain", agent.chain],
  ["Registry", <AddressLink address={agent.registry_address} isWhole />],
  ["Adapter", <AddressLink address={agent.adapter} isWhole />],
  binding !== null && ["Token contract", <AddressLink address={binding.token_contract} isWhole />],
  binding?.agent_owner != null && [
    "Owner in the registry",
    <AddressLink address={binding.agent_owner} isWhole />,
  ],
  agent.registered_by !== null && ["Bound by", <AddressLink address={agent.registered_by} isWhole />],
  binding?.token_uri != null && ["URI", <TextOrLink text={binding.token_uri} />],
  ["Since block", <span class="number">{agent.block_number.toLocaleString("en")}</span>],
  ["Transaction", <Transaction hash={agent.transaction_hash} />],
];
