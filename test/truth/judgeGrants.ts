import { type Hex, parseAbi, zeroAddress } from "viem";
import type { Log } from "./chainLogs.ts";
import { ask, type Question } from "./chainReads.ts";
import { everyOne } from "./judge.ts";
import { type PermissionsTrial, readPermissions } from "./judgePermissions.ts";
import { hashOfId, nodeBelowHash } from "./names.ts";
import type { Row } from "./oracle.ts";
import { lower } from "./permissionAttempts.ts";

/*
 * Permissions that accounts give to others, judged by the contracts: operators, approvals and record writers. They are then
 * compared with the answers about accounts, and with the answers about names, whose powers are all tried by calls.
 */

const abi = parseAbi([
  "function isApprovedForAll(address owner, address operator) view returns (bool)",
  "function authorisations(bytes32 node, address owner, address target) view returns (bool)",
  "function isApprovedFor(address owner, bytes32 node, address delegate) view returns (bool)",
]);

/** A permission that an owner gave in a contract; `node`: null for everything the owner has there. */
type Grant = { kind: string; contract: Hex; owner: Hex; address: Hex; node: Hex | null };

type GrantsTrial = PermissionsTrial & {
  /** The rows of the answer about each name. */
  answers: ReadonlyMap<Hex, readonly Row[]>;
};

/** Kinds of rows that stand for a grant by an owner of the name, or of the one above, with the kind of grant. */
const grantOf: Readonly<Record<string, string>> = {
  operator: "operator",
  token_approval: "token_approval",
  record_delegate: "record_delegate",
  parent_operator: "operator",
  parent_approval: "token_approval",
};

/** Judges the answers about accounts, in both directions, and the rows of names that come from grants. */
export async function judgeGrants(trial: GrantsTrial): Promise<void> {
  const grants = await listGrants(trial);
  judgeOperators(trial, grants);
  judgeRows(trial, grants);
  const states = new Map(grants.map((grant) => [keyOf(grant), stateOf(trial, grant)]));
  const accounts = new Set([...trial.accounts, ...grants.flatMap(({ owner, address }) => [owner, address])]);
  await everyOne([...accounts], async (account) => {
    for (const [direction, side] of [
      ["held", "address"],
      ["given", "owner"],
    ] as const) {
      const path = `/address/${account}/permissions?direction=${direction}&chain=${trial.deployment.name}&page_size=4`;
      const rows = await readPermissions(trial, path);
      const expected = grants.filter((grant) => grant[side] === account).map(keyOf);
      trial.same(
        `permissions of ${account}, ${direction}`,
        rows.map((row) => `${keyOfRow(row)}: ${stateOfRow(row)}`).sort(),
        expected.map((key) => `${key}: ${states.get(key)}`).sort(),
      );
    }
  });
}

const keyOf = ({ kind, contract, owner, address, node }: Grant): string =>
  [kind, "at", contract, "by", owner, "to", address, "for", node ?? "all"].join(" ");

const keyOfRow = ({ kind, contract_address, owner, address, namehash }: Row): string =>
  keyOf({
    kind: String(kind),
    contract: lower(contract_address),
    owner: lower(owner),
    address: lower(address),
    node: (namehash as Hex | undefined) ?? null,
  });

const stateOfRow = ({ layer, in_force, reason }: Row): string =>
  `${layer} ${in_force}${reason === undefined ? "" : ` ${reason}`}`;

/** All grants by the contracts' answers; for an approval of one token the last log, even if a transfer has ended it. */
async function listGrants(trial: GrantsTrial): Promise<Grant[]> {
  const grants = new Map<string, { grant: Grant; question: Question | null }>();
  const tokens = new Map<string, Grant>();
  for (const log of trial.logs) {
    const found = grantIn(log, trial);
    if (found === null) continue;
    const { contract, node } = found.grant;
    if (found.question === null) tokens.set(`${contract} ${node}`, found.grant);
    else grants.set(keyOf(found.grant), found);
  }
  const asked = [...grants.values()];
  const isGiven = await ask<boolean>(
    trial.rpcUrl,
    asked.map(({ question }) => question as Question),
  );
  return [
    ...asked.flatMap(({ grant }, i) => (isGiven[i] === true ? [grant] : [])),
    ...[...tokens.values()].filter(({ address }) => address !== zeroAddress),
  ];
}

/** A possible grant in a log, and the call that reads it from the contract. */
function grantIn(
  { role, entry, eventName, address: contract, args }: Log,
  { contracts }: GrantsTrial,
): { grant: Grant; question: Question | null } | null {
  const isNames = [contracts.registry, contracts.registrar, contracts.wrapper].includes(contract);
  const isResolver = role === "resolver" && entry?.static === true;
  const owner = (args.owner ?? args.account) as Hex;
  if (eventName === "ApprovalForAll" && (isNames || isResolver)) {
    const operator = args.operator as Hex;
    const grant = { kind: "operator", contract, owner, address: operator, node: null };
    return {
      grant,
      question: { to: contract, abi, functionName: "isApprovedForAll", args: [owner, operator] },
    };
  }
  if (eventName === "Approval" && isNames) {
    const id = hashOfId((args.tokenId ?? args.id) as bigint);
    const node = contract === contracts.wrapper ? id : nodeBelowHash(contracts.managed, id);
    // The registrar of Basenames has other argument names.
    const address = (args.approved ?? args.account) as Hex;
    const grant = { kind: "token_approval", contract, owner, address, node };
    return { grant, question: null };
  }
  if (!isResolver || !["AuthorisationChanged", "Approved"].includes(eventName)) return null;
  const [node, delegate] = [args.node as Hex, (args.target ?? args.delegate) as Hex];
  const grant = { kind: "record_delegate", contract, owner, address: delegate, node };
  const question =
    eventName === "Approved"
      ? { to: contract, abi, functionName: "isApprovedFor", args: [owner, node, delegate] }
      : { to: contract, abi, functionName: "authorisations", args: [node, owner, delegate] };
  return { grant, question };
}

/** The grant behind a row of a name. */
const keyOfPower = (row: Row, node: Hex): string =>
  keyOf({
    kind: grantOf[String(row.kind)] ?? "",
    contract: lower(row.contract_address),
    owner: lower(row.given_by),
    address: lower(row.address),
    node: grantOf[String(row.kind)] === "operator" ? null : node,
  });

const layersOf = ({ contracts }: GrantsTrial, contract: Hex): string => {
  if (contract === contracts.registry) return "registry";
  if (contract === contracts.registrar) return "registrar";
  return contract === contracts.wrapper ? "wrapper" : "resolver";
};

/** Layer, whether a grant counts, and why not: as in the answer about its name, whose powers are tried. */
function stateOf(trial: GrantsTrial, grant: Grant): string {
  const layer = layersOf(trial, grant.contract);
  if (grant.node === null) return `${layer} true`;
  const key = keyOf(grant);
  const rows = trial.answers.get(grant.node) ?? [];
  const row = rows.find(
    (one) => !isAbove(one) && grantOf[String(one.kind)] && keyOfPower(one, grant.node as Hex) === key,
  );
  if (row !== undefined) return stateOfRow(row);
  // The answer about a name only has delegates of its resolver, given by current or former owners.
  const resolver = trial.names.find(({ node }) => node === grant.node)?.resolver;
  return `${layer} false ${resolver === grant.contract ? "owner_changed" : "other_resolver"}`;
}

const isAbove = ({ kind }: Row): boolean => String(kind).startsWith("parent_");

/** Every operator of an owner is listed at each name where that owner can act. */
function judgeOperators(trial: GrantsTrial, grants: readonly Grant[]): void {
  const operators = grants.filter(({ kind }) => kind === "operator");
  for (const { node, path } of trial.names) {
    const rows = trial.answers.get(node) ?? [];
    const owners = rows.filter(({ kind, in_force }) => kind === "owner" && in_force === true);
    const listed = rows.filter(({ kind }) => kind === "operator").map((row) => keyOfPower(row, node));
    const expected = owners.flatMap((row) =>
      operators
        .filter(
          ({ contract, owner }) => contract === lower(row.contract_address) && owner === lower(row.address),
        )
        .map(keyOf),
    );
    const known = new Set(rows.filter(({ in_force }) => in_force === null).map(({ layer }) => layer));
    if (known.size === 0) trial.same(`operators at ${path}`, listed.sort(), expected.sort());
  }
}

/** Every row of a name that an owner gave is a grant. */
function judgeRows(trial: GrantsTrial, grants: readonly Grant[]): void {
  const known = new Set(grants.map(keyOf));
  const parentOf = new Map(trial.names.map(({ node, position }) => [node, position?.parent]));
  for (const { node, path } of trial.names) {
    for (const row of trial.answers.get(node) ?? []) {
      if (grantOf[String(row.kind)] === undefined) continue;
      const of = isAbove(row) ? (parentOf.get(node) as Hex) : node;
      trial.same(`${row.kind} ${row.address} at ${path} is given`, known.has(keyOfPower(row, of)), true);
    }
  }
}
