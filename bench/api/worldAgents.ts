import { type Address, type Hex, hexToBigInt } from "viem";
import { buildAgentKey } from "../../src/api/names/rules/agentKey.ts";
import { labelhash } from "../../src/ens/name.ts";
import { chanceOf } from "./chance.ts";
import { CHAIN, DAY, find, momentOf, putEvent, type World } from "./worldLog.ts";
import { WORLD_TIME } from "./worldTime.ts";

/** What became of a .eth name. */
export type EthName = {
  name: string;
  node: Hex;
  hash: Hex;
  begin: number;
  expiry: number;
  owner: Address;
  isWrapped: boolean;
  resolver: Address | null;
};

const ADAPTER = find("agent-adapter", 1);
const REGISTRY = find("agent-registry", 1);
const REGISTRAR = find("registrar", 2);
const WRAPPER = find("wrapper", 1);

/** Of a name's 16 places in a block, those that no other log of it takes. */
const places = { claimed: 7, registered: 14, bound: 15 };

/** How long there have been agents. */
const SECONDS_OF_AGENTS = 30 * DAY;

/**
 * The agent of a name, which one of 500 has, registered by its owner through the adapter in the last month; half of those
 * names that have a resolver claim it. `when` is from 0 to 1 and grows, as the ids of agents grow with time.
 */
export function putAgent(world: World, name: EthName & { i: number; when: number }): void {
  const { i, node, begin, expiry, owner, resolver } = name;
  const chance = chanceOf(~i);
  const time = WORLD_TIME - (1 - name.when) * SECONDS_OF_AGENTS;
  if (!chance.is(1 / 500) || begin > time || expiry < time) return;
  const agentId = world.agents++;
  const uri = `https://agent.example/${agentId}.json`;
  const at = momentOf(i, 7, time);
  const { chain_id, ...moment } = at.log;
  const registry = { contract: "AGENT_REGISTRY", contract_address: REGISTRY, event_type: "Registered" };
  const registered = { owner_address: ADAPTER, value: uri, details: `{"agentId":"${agentId}"}` };
  putEvent(world, at, places.registered, { ...registry, ...registered });
  world.put("agents", { chain_id, registry: REGISTRY, agent_id: agentId, owner: ADAPTER, uri, ...moment });
  const token = tokenOf(name);
  const details = { agentId: String(agentId), standard: token.standard, ...token.args };
  const adapter = { contract: "AGENT_ADAPTER", contract_address: ADAPTER, event_type: "AgentBound" };
  const bound = { node, from_address: owner, details: JSON.stringify(details) };
  putEvent(world, at, places.bound, { ...adapter, ...bound });
  world.put("agent_bindings", {
    chain_id,
    adapter: ADAPTER,
    agent_id: agentId,
    node,
    registered_by: owner,
    token_standard: token.standard,
    token_contract: token.args.tokenContract,
    token_id: token.args.tokenId,
    ...moment,
    log_index: at.index + places.bound,
  });
  if (resolver !== null && chance.is(0.5)) putClaim(world, { i, node, resolver, agentId, time });
}

/** The token by which the owner controls the name: of the wrapper (ERC-1155), or of the registrar (ERC-721). */
const tokenOf = ({ isWrapped, node, hash }: EthName) => ({
  standard: isWrapped ? 1 : 0,
  args: {
    tokenContract: isWrapped ? WRAPPER : REGISTRAR,
    tokenId: hexToBigInt(isWrapped ? node : hash).toString(),
  },
});

type Claim = { i: number; node: Hex; resolver: Address; agentId: number; time: number };

/** The text record by which a name claims its agent (ENSIP-25), set an hour later. */
function putClaim(world: World, { i, node, resolver, agentId, time }: Claim): void {
  const at = momentOf(i, 8, time + 3_600);
  const key = buildAgentKey({ chainId: CHAIN.chain_id, address: REGISTRY }, BigInt(agentId));
  const text = { key, value: "1" };
  const log = { contract: "RESOLVER", contract_address: resolver, event_type: "TextChanged" };
  putEvent(world, at, places.claimed, { ...log, node, ...text, value_source: "event" });
  world.put("text_records", {
    ...CHAIN,
    resolver,
    node,
    version: 0,
    key_hash: labelhash(key),
    ...text,
    is_value_known: true,
    sets_in_transaction: 1,
    is_read: false,
    block_number: at.log.block_number,
    log_index: at.index + places.claimed,
    transaction_hash: at.transaction,
  });
}
