import { type Hex, parseAbi, zeroAddress, zeroHash } from "viem";
import { ETH_NODE } from "../../devnet/acts/names.ts";
import { ask, requestMany, toQuantity } from "./chainReads.ts";
import type { Judge } from "./judge.ts";
import { judgeGrants } from "./judgeGrants.ts";
import { pathOf } from "./ledger.ts";
import type { Row } from "./oracle.ts";
import {
  type Attempt,
  attemptsOn,
  type LoggedName,
  lower,
  type NameContracts,
  nameContractsOf,
  RECEIVER,
} from "./permissionAttempts.ts";
import { findSilentEnds } from "./silentEnds.ts";

/*
 * Permissions, judged by the contracts: each power that an answer lists is used by a call from that account, at the time of the
 * question, which must not revert. The same calls from other accounts must revert.
 */

/** Accounts that are tried at each name although no answer lists them. */
const STRANGERS = 4;

/** What the names of one chain are judged by. */
export type PermissionsTrial = Pick<Judge, "get" | "same" | "rpcUrl" | "now" | "deployment" | "logs"> & {
  contracts: NameContracts;
  names: readonly LoggedName[];
  /** Unlisted accounts that are tried, some at each name. */
  accounts: readonly Hex[];
  /** Contracts that a resolver may trust. */
  own: ReadonlySet<Hex>;
};

/** Tries the powers that every name's answer lists, and compares them with the answer about each account. */
export async function judgePermissions(judge: Judge): Promise<void> {
  const { ledgers, revealed, deployment } = judge;
  const names = [...ledgers].flatMap(([node, { position, resolvers }]) => {
    const path = pathOf(node, ledgers);
    if (path === null || path === "") return [];
    const label = position === null ? undefined : revealed.get(position.labelhash);
    return [{ node, path, position, label, resolver: resolvers.at(-1)?.state ?? null }];
  });
  const own = new Set(deployment.contracts.map(({ address }) => lower(address)));
  const accounts = listAccounts(judge);
  const trial = { ...judge, contracts: nameContractsOf(deployment, ETH_NODE), names, accounts, own };
  await judgeGrants({ ...trial, answers: await judgeNames(trial) });
}

/** Tries the powers that the answer about each name lists. Returns the answers, by node. */
export async function judgeNames(trial: PermissionsTrial): Promise<Map<Hex, readonly Row[]>> {
  const answers = new Map<Hex, readonly Row[]>();
  const silentEnds = await findSilentEnds(trial, trial.contracts.wrapper);
  for (const [place, name] of trial.names.entries()) {
    const answer = await readPermissions(trial, `/domain/${name.path}/permissions?page_size=3`);
    const strangers = Array.from(
      { length: STRANGERS },
      (_, i) => trial.accounts[(place + i) % trial.accounts.length] as Hex,
    );
    await judgeName(trial, { name, answer, strangers, silentEnds });
    answers.set(name.node, answer);
  }
  return answers;
}

/** Accounts of people in any log. */
function listAccounts({ logs, deployment }: Judge): Hex[] {
  const contracts = new Set(deployment.contracts.map((entry) => lower(entry.address)));
  const named = logs.flatMap(({ args }) => Object.values(args)).filter(isAddress);
  return [...new Set(named.map(lower))].filter((one) => one !== zeroAddress && !contracts.has(one)).sort();
}

const isAddress = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);

/** All pages of an answer. The total must be the number of rows. */
export async function readPermissions(
  { get, same }: Pick<Judge, "get" | "same">,
  path: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: unknown = null;
  let total: unknown;
  do {
    const answer = await get(cursor === null ? path : `${path}&cursor=${String(cursor)}`);
    rows.push(...((answer.permissions ?? []) as Row[]));
    [cursor, total] = [answer.next_cursor ?? null, answer.total];
  } while (cursor !== null);
  same(`total of ${path}`, total, rows.length);
  return rows;
}

type Asked = {
  name: LoggedName;
  answer: readonly Row[];
  strangers: readonly Hex[];
  silentEnds: ReadonlyMap<Hex, Hex>;
};

async function judgeName(trial: PermissionsTrial, asked: Asked): Promise<void> {
  const { name, answer, strangers, silentEnds } = asked;
  const { path } = name;
  const { same, contracts, own } = trial;
  const unknown = new Set(answer.filter((row) => row.in_force === null).map(sideOf));
  const listed = new Map<string, Set<Hex>>();
  for (const row of answer) {
    for (const action of row.in_force === true ? (row.may as string[]) : []) {
      const power = `${sideOf(row)} ${action}`;
      listed.set(power, (listed.get(power) ?? new Set()).add(lower(row.address)));
    }
  }
  // A leftover token still belongs to its holder, but no longer controls the name.
  const isLeftOver =
    answer.some((row) => row.layer === "wrapper" && row.kind === "owner") && !(await isWrapped(trial, name));
  const ofToken = ["transfer_token", "approve", "burn_fuses", "extend_subnames"];
  const attempts = attemptsOn(name, { answer, contracts }).filter(({ power }) => {
    const [side = "", action = ""] = power.split(" ");
    return !unknown.has(side) && !(side === "wrapper" && isLeftOver && ofToken.includes(action));
  });
  const known = new Set(attempts.map(({ power }) => power));
  for (const power of listed.keys()) {
    if (!known.has(power) && !isUntried(power)) same(`${path}: ${power}`, "listed", "nothing to try");
  }
  // The same call can represent a power over the name and one over the name above.
  const allowedFor = (attempt: Attempt) =>
    new Set(
      attempts
        .filter((one) => one.to === attempt.to && one.data(RECEIVER) === attempt.data(RECEIVER))
        .flatMap(({ power }) => [...(listed.get(power) ?? [])]),
    );
  const everyone = new Set([...strangers, ...answer.map((row) => lower(row.address))]);
  const calls = attempts.flatMap((attempt) => {
    const allowed = allowedFor(attempt);
    // If the old registry no longer decides, its permissions say nothing about the name.
    const isMoot = attempt.power.includes("registry_old") && allowed.size === 0;
    // Resolvers trust a controller and a reverse registrar: the answer states that it does not list them.
    const isTrusted = (from: Hex) => attempt.power === "resolver set_records" && own.has(from);
    // They own names for others, and none of their rules replaces a name: answers do not list them as owners of the parent.
    const isKeeper = (from: Hex) =>
      attempt.power.startsWith("parent-registry") && [contracts.wrapper, contracts.registrar].includes(from);
    // Powers from an approval that ended without a log. The name's own call to extend its expiry is also its parent's.
    const givenAt: Record<string, Hex | undefined> = {
      "wrapper extend_subnames": name.node,
      "wrapper extend_expiry": name.position?.parent,
      "parent-wrapper extend_expiry": name.position?.parent,
    };
    const ended = silentEnds.get(givenAt[attempt.power] ?? "0x");
    const senders = [...everyone].filter(
      (from) => (!(isTrusted(from) || isKeeper(from)) || allowed.has(from)) && from !== ended,
    );
    return isMoot ? [] : senders.map((from) => ({ attempt, from, isListed: allowed.has(from) }));
  });
  const can = await tryAll(trial, calls);
  for (const [i, { attempt, from, isListed }] of calls.entries()) {
    same(`${path}: ${attempt.power} by ${from}`, isListed, can[i]);
  }
}

const ownerAbi = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function ownerOf(uint256 id) view returns (address)",
]);

/** Whether the NameWrapper owns the name in the registry, and a .eth name in the registrar. */
async function isWrapped(
  { rpcUrl, contracts }: PermissionsTrial,
  { node, position }: LoggedName,
): Promise<boolean> {
  const { registry, registrar, wrapper, managed } = contracts;
  if (registry === undefined || registrar === undefined) return false;
  const inRegistry = { to: registry, abi: ownerAbi, functionName: "owner", args: [node] };
  const { parent, labelhash = zeroHash } = position ?? {};
  const inRegistrar = { to: registrar, abi: ownerAbi, functionName: "ownerOf", args: [BigInt(labelhash)] };
  // At time 0 the registrar also returns the holder of an expired name.
  const asked = parent === managed ? [inRegistry, inRegistrar] : [inRegistry];
  const owners = await ask<Hex>(rpcUrl, asked, { time: 0n });
  return owners.every((owner) => owner !== null && lower(owner) === lower(wrapper));
}

/** The layer of a row, marked if the name above gives it. */
const sideOf = (row: Row): string =>
  `${String(row.kind).startsWith("parent_") ? "parent-" : ""}${String(row.layer)}`;

/** Powers that are tried only if the text of the label is known. */
const isUntried = (power: string): boolean => power === "parent-wrapper replace";

type Call = { attempt: Attempt; from: Hex };

/** Whether each call succeeds at the time of the question. */
async function tryAll({ rpcUrl, now }: PermissionsTrial, calls: readonly Call[]): Promise<boolean[]> {
  const answers = await requestMany<Hex>(
    rpcUrl,
    calls.map(({ attempt, from }) => ({
      method: "eth_call",
      params: [{ from, to: attempt.to, data: attempt.data(from) }, "latest", {}, { time: toQuantity(now) }],
    })),
  );
  return answers.map((answer, i) => {
    if ("result" in answer) return !/^0x0+$/.test(answer.result) || !isView(calls[i] as Call);
    if (/revert|invalid opcode|EVM error|halt/i.test(answer.error)) return false;
    throw new Error(`${calls[i]?.attempt.power}: ${answer.error}`);
  });
}

const isView = ({ attempt }: Call) => attempt.power.endsWith("extend_subnames");
