import { type Hex, stringToBytes, zeroHash } from "viem";
import { ETH_NODE, hashLabel as hashOfLabel } from "../../devnet/acts/names.ts";
import { fusesAt, isLapsed } from "../../src/ens/wrapper.ts";
import type { Log } from "./chainLogs.ts";
import { hiddenLabel, hiddenName, nodeOfShownName, type Position, positionsOf } from "./names.ts";
import {
  effectiveOwnerOf,
  nodesOf,
  nodesWritten,
  readStates,
  readWrapperNow,
  type State,
  type WrapperData,
} from "./nodeStates.ts";
import { compare, type Evidence, plain, type Row, show } from "./oracle.ts";

/** Every node in any log or row: owners, resolver, expiry, wrapper, names and its last change. */
export async function judgeDomains(evidence: Evidence): Promise<void> {
  const { query, deployment, logs, differ, count } = evidence;
  const stored = await query(`select * from domains where chain_id = ${deployment.chainId}`);
  const rows = new Map(stored.map((row) => [row.node as Hex, row]));
  const positions = positionsOf(logs);
  const nodes = [...new Set([...rows.keys(), ...nodesOf(logs)])];
  const states = await readStates(evidence, nodes, { positions });
  const wrappersNow = await readWrapperNow(evidence, nodes);
  const firsts = firstBlocks(logs);
  for (const [index, node] of nodes.entries()) {
    const state = states[index] as State;
    const row = rows.get(node);
    const what = `domains ${row === undefined ? node : nameOf(row)}`;
    count("nodes");
    if (row === undefined) {
      if (isEmpty(state)) continue;
      differ(
        `${what}: missing, chain says ${JSON.stringify(state, (_, value) => (typeof value === "bigint" ? String(value) : value))}`,
      );
      continue;
    }
    compare(evidence, what, row, { ...ownersOf(state), ...derivedOf(state, positions.get(node)) });
    judgeWrapperData(evidence, what, row, {
      stored: state.wrapper,
      now: wrappersNow[index] ?? state.wrapper,
    });
    const first = firsts.get(node);
    compare(evidence, what, row, {
      created_block_number: first?.blockNumber,
      created_timestamp: first?.blockTimestamp,
    });
    judgeName(evidence, what, row, { position: positions.get(node), rows });
  }
  await judgeLastChanges(evidence, rows);
  await judgeLabels(evidence);
}

const nameOf = (row: Row): string => `${show(row.full_name)} ${row.node}`;

/** First log of each node that concerns its state. */
function firstBlocks(logs: readonly Log[]): Map<Hex, Log> {
  const firsts = new Map<Hex, Log>();
  for (const log of logs) {
    for (const node of nodesWritten(log)) if (!firsts.has(node)) firsts.set(node, log);
  }
  return firsts;
}

const isEmpty = (state: State): boolean =>
  state.registryOwner === null &&
  state.resolver === null &&
  state.registrarOwner === null &&
  state.registrarExpiry === null &&
  state.wrapper.owner === null;

const ownersOf = (state: State) => ({
  registry_owner: state.registryOwner,
  registrar_owner: state.registrarOwner,
  wrapper_owner: state.wrapper.owner,
  is_wrapped: state.isWrapped,
  effective_owner_address: effectiveOwnerOf(state),
});

const derivedOf = (state: State, position: Position | undefined): Row => ({
  is_migrated: state.isMigrated,
  resolver: state.resolver,
  registrar_expiry_timestamp: state.registrarExpiry,
  parent_node: position?.parent ?? null,
  labelhash: position?.labelhash ?? null,
  expiry_timestamp:
    position?.parent === ETH_NODE
      ? state.registrarExpiry
      : state.isWrapped
        ? state.wrapper.expiry || null
        : null,
});

/** Fuses and expiry as stored, and, by the rules of lapse, as `getData` answers them at the head's time. */
function judgeWrapperData(
  evidence: Evidence,
  what: string,
  row: Row,
  { stored, now }: { stored: WrapperData; now: WrapperData },
): void {
  // The wrapper's constructor stores fuses of the root and of .eth without logs.
  if (row.node === zeroHash || row.node === ETH_NODE) return;
  const fuses = Number(row.wrapper_fuses ?? 0);
  const expiry = BigInt(String(row.wrapper_expiry_timestamp ?? 0));
  compare(
    evidence,
    what,
    { wrapper_fuses: fuses, wrapper_expiry_timestamp: expiry },
    {
      wrapper_fuses: stored.fuses,
      wrapper_expiry_timestamp: stored.expiry,
    },
  );
  const token = { wrapperFuses: fuses, wrapperExpiryTimestamp: expiry };
  const shown = {
    "wrapper owner now": isLapsed(token, evidence.now) ? null : row.wrapper_owner,
    "fuses now": fusesAt(token, evidence.now),
  };
  compare(evidence, what, shown, { "wrapper owner now": now.owner, "fuses now": now.fuses });
}

type Naming = { position: Position | undefined; rows: Map<Hex, Row> };

/** The row's label belongs to its labelhash and is shown if any event spells it out; the name is the path of labels. */
function judgeName({ differ, revealed }: Evidence, what: string, row: Row, { position, rows }: Naming): void {
  if (row.node === zeroHash) {
    if (row.full_name !== "" || row.is_name_known !== true) differ(`${what}: the root has no name`);
    return;
  }
  const hash = position?.labelhash ?? (row.node as Hex);
  const label = String(row.label);
  const spelled = revealed.get(hash);
  if (row.is_label_known !== true) {
    if (spelled !== undefined) differ(`${what}: label is unknown, an event spells out ${show(spelled)}`);
    const hidden = position === undefined ? hiddenName(row.node as Hex) : hiddenLabel(hash);
    if (label !== hidden) differ(`${what}: label is ${show(label)} and not known, hash ${hash}`);
  }
  const parent = position === undefined ? undefined : rows.get(position.parent);
  const path = pathOf(row, { position, parent });
  if (row.full_name !== path)
    differ(`${what}: full_name is ${show(row.full_name)}, labels say ${show(path)}`);
  const isKnown = row.is_label_known === true && parent?.is_name_known === true;
  if (row.is_name_known !== isKnown) differ(`${what}: is_name_known is ${show(row.is_name_known)}`);
  const length = row.is_label_known === true ? [...label].length : null;
  if (plain(row.label_length) !== plain(length)) differ(`${what}: label_length is ${show(row.label_length)}`);
  if (nodeOfShownName(String(row.full_name)) !== row.node) {
    differ(`${what}: the namehash of its full_name is another node`);
  }
}

/** A domain's name from its own label and its parent's row; by its node if that is too long, or the parent unknown. */
function pathOf(row: Row, { position, parent }: { position: Position | undefined; parent: Row | undefined }) {
  const hidden = hiddenName(row.node as Hex);
  if (position?.parent === zeroHash) return String(row.label);
  if (parent === undefined || String(parent.full_name).startsWith("[namehash:")) return hidden;
  const path = `${row.label}.${parent.full_name}`;
  return stringToBytes(path).length <= 1_024 ? path : hidden;
}

/** The last row of each node's changes has the current values; nodes without a row never had any. */
async function judgeLastChanges(evidence: Evidence, rows: Map<Hex, Row>): Promise<void> {
  const { query } = evidence;
  const order = "node, block_number desc, log_index desc";
  const owners = await query(
    `select distinct on (node) * from ownership_changes order by ${order}, ordinal desc`,
  );
  const resolvers = await query(`select distinct on (node) * from resolver_changes order by ${order}`);
  const lastOwners = new Map(owners.map((row) => [row.node as Hex, row]));
  const lastResolvers = new Map(resolvers.map((row) => [row.node as Hex, row]));
  for (const [node, row] of rows) {
    const what = `last change of ${nameOf(row)}`;
    const reason =
      row.is_wrapped === true
        ? "wrapper"
        : row.registrar_owner !== null
          ? "registrar"
          : row.registry_owner !== null
            ? "registry"
            : null;
    compare(evidence, `ownership, ${what}`, lastOwners.get(node) ?? {}, {
      owner_address: row.effective_owner_address,
      reason,
      registry_owner: row.registry_owner,
      registrar_owner: row.registrar_owner,
      wrapper_owner: row.wrapper_owner,
    });
    compare(evidence, `resolver, ${what}`, lastResolvers.get(node) ?? {}, { resolver: row.resolver });
  }
}

/** Labels must hash to their key, and every label spelled out by an event must be present or well known. */
async function judgeLabels({ query, differ, count }: Evidence): Promise<void> {
  for (const row of await query("select * from labels where label is not null")) {
    count("labels");
    if (hashOfLabel(String(row.label)) !== row.labelhash) {
      differ(`labels ${row.labelhash}: ${show(row.label)} has another hash`);
    }
  }
}
