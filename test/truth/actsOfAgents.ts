import type { Address } from "viem";
import {
  addressOf,
  agentKey,
  bindAgent,
  read,
  readBinding,
  registerAgent,
  registrarToken,
  releaseAgent,
  setAgentURI,
  setText,
  wrapperToken,
} from "../../devnet/acts.ts";
import type { Act } from "./catalogue.ts";
import {
  findPlace,
  isEthName,
  isPerson,
  isWrappedState,
  NothingFits,
  type Place,
  type Scene,
  type State,
  stateOf,
  writerOf,
} from "./scene.ts";

const uris = [
  "",
  "https://agent.example/agent.json",
  "ipfs://agent",
  "nul\u0000uri",
  "\ufeffipfs://marked",
  "data:,".padEnd(9_000, "x"),
];

/** The holder of a name's token, in the registrar or in the wrapper. */
const holderOf = (scene: Scene, place: Place, state: State): Address =>
  isWrappedState(scene, state) ? state.wrapperOwner : isEthName(place) ? state.registrant : "0x";

const bind = (scene: Scene) => {
  const place = findPlace(scene, (one, state) => isPerson(scene, holderOf(scene, one, state)));
  const state = stateOf(scene, place);
  const isWrapped = isWrappedState(scene, state);
  return bindAgent(scene.chain, {
    from: holderOf(scene, place, state),
    token: isWrapped ? wrapperToken(place.node) : registrarToken(place.label),
    standard: isWrapped ? scene.pick([0, 1, 1, 3]) : 0,
    uri: scene.pick(uris),
  });
};

/** Agents that acts choose from: of all histories of a chain, since any name may claim any agent. */
const AGENTS = 24;

/** An agent bound by the adapter that this person may act for. */
async function controlledAgent(scene: Scene): Promise<{ agentId: bigint; from: Address }> {
  const first = scene.number(AGENTS);
  for (let turn = 0; turn < AGENTS; turn++) {
    const agentId = BigInt((first + turn) % AGENTS);
    if ((await readBinding(scene.chain, agentId)) === null) continue;
    for (const from of scene.people) {
      const question = { contract: "agentAdapter", functionName: "isController", args: [agentId, from] };
      const mayAct = await read<boolean>(scene.chain, question).catch(() => false); // Its token may no longer have an owner.
      if (mayAct) return { agentId, from };
    }
  }
  throw new NothingFits("No one controls an agent");
}

const describe = async (scene: Scene) => {
  const { agentId, from } = await controlledAgent(scene);
  return setAgentURI(scene.chain, { from, agentId, uri: scene.pick(uris) });
};

const release = async (scene: Scene) => {
  const { agentId, from } = await controlledAgent(scene);
  return releaseAgent(scene.chain, { from, agentId, to: scene.pick(scene.people) });
};

/** An eligible agent and the place whose token it is bound to; null if none exists. */
async function boundAgent({ chain, places, number }: Scene, fits: (place: Place) => boolean) {
  const first = number(AGENTS);
  for (let turn = 0; turn < AGENTS; turn++) {
    const agentId = BigInt((first + turn) % AGENTS);
    const binding = await readBinding(chain, agentId);
    const place = places.find(({ node, label }) =>
      [registrarToken(label), wrapperToken(node)].some(
        ({ contract, id }) => binding?.tokenContract === addressOf(chain, contract) && binding.tokenId === id,
      ),
    );
    if (place !== undefined && fits(place)) return { agentId, place };
  }
  return null;
}

/** A record by which a name claims an agent: its own, another's, or none; mostly in the form of ENSIP-25. */
const claim = async (scene: Scene) => {
  const { chain, pick } = scene;
  const resolvers = new Map(
    ["resolver3", "resolver4", "resolver5"].map((name) => [addressOf(chain, name), name]),
  );
  const isWritable = (one: Place, state = stateOf(scene, one)) =>
    isPerson(scene, writerOf(scene, state)) && resolvers.has(state.resolver);
  const bound = scene.number(2) === 0 ? await boundAgent(scene, isWritable) : null;
  const place = bound?.place ?? findPlace(scene, isWritable);
  const state = stateOf(scene, place);
  const agentId = bound?.agentId ?? BigInt(scene.number(AGENTS));
  const key = await agentKey(chain, { agentId });
  const spelled = [
    key,
    key,
    key,
    key,
    key.replace(/(?<=\[0x)[0-9a-f]+/, (digits) => digits.toUpperCase()),
    await agentKey(chain, { agentId, chainId: 1 }),
    await agentKey(chain, { agentId: `0${agentId}` }),
    `agent-registration[eip155:31337:${addressOf(chain, "agentRegistry")}][${agentId}]`,
    "agent-registration[whatever][1]",
  ];
  const resolver = resolvers.get(state.resolver) ?? "resolver5";
  const act = { from: writerOf(scene, state), resolver, node: place.node };
  return setText(chain, { ...act, key: pick(spelled), value: pick(["1", "1", "yes", ""]) });
};

/** Acts on agents of ERC-8004. */
export const agentActs: Record<string, Act> = {
  bindAgent: { weight: 8, perform: bind },
  claimAgent: { weight: 10, perform: claim },
  setAgentURI: { weight: 1, perform: describe },
  releaseAgent: { weight: 1, perform: release },
  registerAgent: {
    weight: 1,
    perform: (scene) => registerAgent(scene.chain, { from: scene.pick(scene.people), uri: scene.pick(uris) }),
  },
};
