import { type Hex, namehash } from "viem";
import type { LocalChains, LocalLayer2 } from "../../devnet/localChains.ts";
import type { Stack } from "../support/stack.ts";
import { type Log, readLogged } from "../truth/chainLogs.ts";
import { openJudge } from "../truth/judge.ts";
import { judgeGrants } from "../truth/judgeGrants.ts";
import { judgeNames } from "../truth/judgePermissions.ts";
import { hashOfId, nodeBelowHash, type Position } from "../truth/names.ts";
import type { Row } from "../truth/oracle.ts";
import { type LoggedName, lower, nameContractsOf } from "../truth/permissionAttempts.ts";

/*
 * Who may change names of layer 2s, tested on their contracts as on Ethereum: each power that an answer lists is used by a call
 * from that account, which must not revert; the same calls from other accounts must.
 */

/** What was judged: the kinds of permissions listed in answers about names, each with the number in force. */
export type Judged = { differences: string[]; inForce: Record<string, number> };

/** Judges every name below a layer 2's managed name, and every account that gave or received a permission there. */
export async function judgeLayer2Permissions(
  { api }: Pick<Stack, "api">,
  { chains, layer2, labels }: { chains: LocalChains; layer2: LocalLayer2; labels: ReadonlyMap<Hex, string> },
): Promise<Judged> {
  const { chain, anvil, deployment } = layer2;
  const main = { rpcUrl: chains.anvil.url, deployment: chains.deployment, api };
  const sources = chains.layer2.map((one) => ({ rpcUrl: one.anvil.url, deployment: one.deployment }));
  const { judge, verdict } = await openJudge({ ...main, layer2: sources });
  const { logs } = await readLogged(anvil.url, deployment);
  const managed = namehash(deployment.managedName?.name ?? "");
  const contracts = nameContractsOf(deployment, managed);
  const names = await answeredHere(judge.get, {
    chain: deployment.name,
    names: listNames(logs, { managed, suffix: deployment.managedName?.name ?? "", labels }),
  });
  const trial = {
    ...judge,
    rpcUrl: anvil.url,
    deployment,
    logs,
    contracts,
    names,
    accounts: chain.accounts.slice(0, 6).map(lower),
    own: new Set(Object.values(chain.contracts).map(({ address }) => lower(address))),
  };
  const answers = await judgeNames(trial);
  await judgeGrants({ ...trial, answers });
  const inForce: Record<string, number> = {};
  for (const row of [...answers.values()].flat()) {
    if (row.in_force === true) inForce[String(row.kind)] = (inForce[String(row.kind)] ?? 0) + 1;
  }
  return { differences: verdict.differences, inForce };
}

/** Every name below the managed one that the chain's registry or registrar logged. */
function listNames(
  logs: readonly Log[],
  { managed, suffix, labels }: { managed: Hex; suffix: string; labels: ReadonlyMap<Hex, string> },
): LoggedName[] {
  const positions = new Map<Hex, Position>();
  const resolvers = new Map<Hex, Hex>();
  for (const { role, eventName, args } of logs) {
    const id = args.tokenId ?? args.id;
    if (role === "registrar" && typeof id === "bigint")
      positions.set(nodeBelowHash(managed, hashOfId(id)), { parent: managed, labelhash: hashOfId(id) });
    if (role !== "registry") continue;
    if (eventName === "NewResolver") resolvers.set(args.node as Hex, args.resolver as Hex);
    if (eventName !== "NewOwner") continue;
    const position = { parent: args.node as Hex, labelhash: args.label as Hex };
    positions.set(nodeBelowHash(position.parent, position.labelhash), position);
  }
  const pathOf = (node: Hex): string | null => {
    if (node === managed) return suffix;
    const position = positions.get(node);
    const above = position && pathOf(position.parent);
    return position && above ? `[${position.labelhash.slice(2)}].${above}` : null;
  };
  return [...positions].flatMap(([node, position]) => {
    const path = node === managed ? null : pathOf(node);
    const label = labels.get(position.labelhash);
    return path === null ? [] : [{ node, path, position, label, resolver: resolvers.get(node) ?? null }];
  });
}

/** Names for which this chain answers: another chain can have the same node and take precedence. */
async function answeredHere(
  get: (path: string) => Promise<Row>,
  { chain, names }: { chain: string; names: readonly LoggedName[] },
): Promise<LoggedName[]> {
  const answers = await Promise.all(
    names.map(({ path }) => get(`/domain/${path}/permissions?page_size=1&total=false`)),
  );
  return names.filter((_, i) => answers[i]?.chain === chain);
}
