import type { Child } from "hono/jsx";
import { AgentTrust } from "../../parts/agent.tsx";
import { Card, Empty, Facts, Unavailable } from "../../parts/card.tsx";
import { AddressLink } from "../../parts/hash.tsx";
import { TextOrLink } from "../../parts/link.tsx";
import { Profile } from "../../parts/profile.tsx";
import { Text } from "../../parts/text.tsx";
import type { NameAgents } from "../../replies.ts";
import type { NameView } from "./view.ts";

/** Agents of one name that a page shows. The JSON has all. */
const MAX_AGENTS = 25;

/** Agents that the name claims, or that are bound to it. */
export async function agentsOfName({ visit, domain }: NameView): Promise<Child> {
  const agents = await visit.tryAsk<NameAgents>("/domain/{name}/agent", { name: domain.query });
  if (agents instanceof Error) return <Unavailable error={agents} />;
  if (agents.registrations.length === 0)
    return <Empty>No agents are claimed by this name or bound to it.</Empty>;
  const others = agents.registrations.length - MAX_AGENTS;
  return (
    <div class="cards">
      {agents.registrations.slice(0, MAX_AGENTS).map((one, i) => (
        <Card id={`agent-${i}`} title={<Agent {...one} />} aside={<AgentTrust agent={one} />}>
          <Facts
            facts={[
              one.registry_address !== null && [
                "Registry",
                <AddressLink address={one.registry_address} isWhole />,
              ],
              one.registry_chain_id !== null && ["Chain", one.registry_chain_id],
              one.key !== null && ["Claimed in record", <Text>{one.key}</Text>],
              one.binding !== null && [
                "Bound to token of",
                <AddressLink address={one.binding.token_contract} isWhole />,
              ],
              one.binding?.agent_owner != null && [
                "Owner in the registry",
                <AddressLink address={one.binding.agent_owner} isWhole />,
              ],
              one.binding?.token_uri != null && ["URI", <TextOrLink text={one.binding.token_uri} />],
            ]}
          />
        </Card>
      ))}
      {others > 0 && (
        <p>
          {`${others.toLocaleString("en")} more in the `}
          <a href={`domain/${encodeURIComponent(domain.query)}/agent`}>JSON</a>.
        </p>
      )}
      <Card id="profile" title="Profile" isWide>
        <Profile profile={agents.profile} />
      </Card>
    </div>
  );
}

const Agent = ({ agent_id }: { agent_id: string }) =>
  /^\d{1,78}$/.test(agent_id) ? (
    <a href={`explore/agents/${agent_id}`}>{`Agent ${agent_id}`}</a>
  ) : (
    <>
      Agent <Text>{agent_id}</Text>
    </>
  );
