import { type Hex, parseAbi } from "viem";
import { type Log, readLogged, shownText, type TextBytes } from "./chainLogs.ts";
import { ask } from "./chainReads.ts";
import type { AnswersTrial } from "./judge.ts";
import { type Binding, nodeOfToken, readAgents } from "./judgeAgents.ts";
import { keepLedgers, pathOf } from "./ledger.ts";
import { contractOf, orNone, plain, type Row, show, type Verdict } from "./oracle.ts";

const reads = parseAbi([
  "function resolver(bytes32 node) view returns (address)",
  "function text(bytes32 node, string key) view returns (string)",
]);

type Agents = Awaited<ReturnType<typeof readAgents>>;

/** The chain's facts about one name: keys of claims that have a value now, and the agents bound to its tokens. */
type Name = { node: Hex; keys: string[]; bound: string[] };

/**
 * Compares the API's answers about names' agents with resolvers and adapter: for every name that ever claimed an agent at an
 * indexed resolver that it still uses, and every name that an agent is bound to.
 */
export async function judgeAgentAnswers(trial: AnswersTrial): Promise<Verdict> {
  const differences: string[] = [];
  const { logs } = await readLogged(trial.rpcUrl, trial.deployment);
  const ledgers = keepLedgers(logs, trial);
  const agents = await readAgents(trial);
  const counts = { agentAnswers: 0, verifiedAgents: 0 };
  for (const name of await readNames(trial, logs, agents)) {
    const path = pathOf(name.node, ledgers);
    if (path === null) continue;
    const { status, body } = await trial.api(`/domain/${path}/agent`);
    counts.agentAnswers++;
    if (status !== 200) differences.push(`agents of ${path}: ${status} ${JSON.stringify(body)}`);
    else differences.push(...differencesOf(trial, { path, name, agents, answer: body as Row }));
    if ((body as Row).onchain_verified === true) counts.verifiedAgents++;
  }
  return { differences, counts };
}

/** Names with agents whose resolver is on the static list. */
async function readNames(trial: AnswersTrial, logs: readonly Log[], agents: Agents): Promise<Name[]> {
  const keys = new Map<Hex, Set<string>>();
  for (const { eventName, args } of logs) {
    if (eventName !== "TextChanged") continue;
    const key = shownText(args.key as TextBytes);
    if (!key.startsWith("agent-registration[")) continue;
    const node = args.node as Hex;
    keys.set(node, (keys.get(node) ?? new Set()).add(key));
  }
  const bound = new Map<Hex, string[]>();
  for (const [id, { binding }] of agents.entries()) {
    const node = binding && nodeOfToken(trial, binding);
    if (node) bound.set(node, [...(bound.get(node) ?? []), String(id)]);
  }
  const nodes = [...new Set([...keys.keys(), ...bound.keys()])];
  const registry = contractOf(trial, "registry", 2)?.address as Hex;
  const resolvers = await ask<Hex>(
    trial.rpcUrl,
    nodes.map((node) => ({ to: registry, abi: reads, functionName: "resolver", args: [node] })),
  );
  const names: Name[] = [];
  for (const [index, node] of nodes.entries()) {
    const resolver = orNone(resolvers[index]);
    const entry = trial.deployment.contracts.find((one) => one.address.toLowerCase() === resolver);
    if (resolver === null || !entry?.static) continue;
    const candidates = [...(keys.get(node) ?? [])];
    const values = await ask<string>(
      trial.rpcUrl,
      candidates.map((key) => ({ to: resolver as Hex, abi: reads, functionName: "text", args: [node, key] })),
    );
    names.push({ node, keys: candidates.filter((_, i) => values[i]), bound: bound.get(node) ?? [] });
  }
  return names;
}

type Question = { path: string; name: Name; agents: Agents; answer: Row };

function differencesOf(trial: AnswersTrial, { path, name, agents, answer }: Question): string[] {
  const differences: string[] = [];
  const same = (what: string, answered: unknown, expected: unknown) => {
    const [said, wanted] = [JSON.stringify(answered), JSON.stringify(expected)];
    if (said !== wanted) {
      differences.push(`agents of ${path}, ${what}: answered ${show(said)}, chain says ${show(wanted)}`);
    }
  };
  const told = (answer.registrations ?? []) as Row[];
  const claims = name.keys.map((key) => ({ key, own: ownAgent(trial, key) }));
  const verified = claims.filter(({ own }) => own !== null && name.bound.includes(own));
  same("claims", told.flatMap(({ key }) => (key === null ? [] : [key])).sort(), name.keys.toSorted());
  same(
    "bound agents",
    [...new Set(told.flatMap((one) => (one.is_bound ? [one.agent_id] : [])))].sort(),
    name.bound.toSorted(),
  );
  same(
    "verified claims",
    told.flatMap((one) => (one.onchain_verified ? [one.key] : [])).sort(),
    verified.map(({ key }) => key).sort(),
  );
  same("is_erc8004_agent", answer.is_erc8004_agent, name.keys.length > 0);
  same("onchain_verified", answer.onchain_verified, verified.length > 0);
  for (const { key, agent_id, binding } of told) {
    const own = key === null ? String(agent_id) : ownAgent(trial, String(key));
    const agent = own === null ? undefined : agents[Number(own)];
    same(`binding of ${agent_id}`, shownBinding(binding as Row | null), bindingOf(agent?.binding ?? null));
  }
  return differences;
}

const bindingOf = (binding: Binding | null) =>
  binding && [String(binding.standard), binding.tokenContract.toLowerCase(), String(binding.tokenId)];

const shownBinding = (binding: Row | null) =>
  binding && [binding.token_standard, binding.token_contract, binding.token_id].map(plain);

/** The devnet's chain id is 31337, which is 7a69. */
const conforming = /^agent-registration\[0x00010000027a6914([0-9a-f]{40})\]\[(0|[1-9][0-9]*)\]$/i;

/** The agent of the devnet's own registry that a key names in the form of ENSIP-25; null for every other key. */
function ownAgent(trial: AnswersTrial, key: string): string | null {
  const [, registry, id] = conforming.exec(key) ?? [];
  const own = contractOf(trial, "agent-registry")?.address.slice(2).toLowerCase();
  return registry?.toLowerCase() === own && id !== undefined ? id : null;
}
