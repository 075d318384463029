type Trust = {
  is_bound: boolean;
  has_ensip25_registration: boolean | null;
  onchain_verified: boolean | null;
};

/** Who says that an agent belongs to a name: the name, the adapter, or both. */
export const AgentTrust = ({ agent }: { agent: Trust }) => {
  if (agent.onchain_verified) return <span class="badge registered">Verified on chain</span>;
  if (agent.is_bound) return <span class="badge">Bound</span>;
  return <span class="badge grace">Claimed only</span>;
};
