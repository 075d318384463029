import { type Hex, parseAbi, zeroHash } from "viem";
import { fusesAt, isLapsed } from "../../src/ens/wrapper.ts";
import { ETH_NODE, hashLabel as hashOfLabel } from "../devnet/acts/names.ts";
import type { Log } from "./chainLogs.ts";
import { ask, type Moment, type Question } from "./chainReads.ts";
import {
  ethNodeOf,
  hashOfId,
  hashOfPurchase,
  hiddenLabel,
  nodeBelowHash,
  type Position,
  positionsOf,
} from "./names.ts";
import { compare, contractOf, type Evidence, orNone, plain, type Row, show } from "./oracle.ts";

const reads = parseAbi([
  "function owner(bytes32 node) view returns (address)",
  "function resolver(bytes32 node) view returns (address)",
  "function recordExists(bytes32 node) view returns (bool)",
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function nameExpires(uint256 id) view returns (uint256)",
  "function getData(uint256 id) view returns (address owner, uint32 fuses, uint64 expiry)",
  "function isWrapped(bytes32 parentNode, bytes32 labelhash) view returns (bool)",
]);

/** What the contracts store of a node; at time 0 nothing has expired, so that they answer what is stored. */
type State = {
  registryOwner: string | null;
  resolver: string | null;
  isMigrated: boolean;
  registrarOwner: string | null;
  registrarExpiry: bigint | null;
  wrapper: WrapperData;
  wrapperNow: WrapperData;
  isWrapped: boolean;
};

type WrapperData = { owner: string | null; fuses: number; expiry: bigint };

/** Every node that any log or row names: owners, resolver, expiry, wrapper, names and the last of its changes. */
export async function judgeDomains(evidence: Evidence): Promise<void> {
  const { query, deployment, logs, differ, count } = evidence;
  const stored = await query(`select * from domains where chain_id = ${deployment.chainId}`);
  const rows = new Map(stored.map((row) => [row.node as Hex, row]));
  const positions = positionsOf(logs);
  const nodes = [...new Set([...rows.keys(), ...nodesOf(logs)])];
  const states = await readStates(evidence, nodes, positions);
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
    judgeWrapperData(evidence, what, row, state);
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

/** Every node that a log names, whatever it says of it. */
function nodesOf(logs: readonly Log[]): Hex[] {
  return logs.flatMap(({ role, eventName, args }) => {
    const nodes = [args.node as Hex | undefined];
    if (role === "registry" && eventName === "NewOwner")
      nodes.push(nodeBelowHash(args.node as Hex, args.label as Hex));
    const id = args.tokenId ?? args.id;
    if (typeof id === "bigint") nodes.push(role === "wrapper" ? hashOfId(id) : ethNodeOf(hashOfId(id)));
    if (role === "wrapper" && Array.isArray(args.ids)) nodes.push(...args.ids.map(hashOfId));
    if (role === "controller" && args.expires !== undefined) nodes.push(ethNodeOf(hashOfPurchase(args)));
    if (role === "registrar" && typeof args.hash === "string" && eventName !== "NewBid")
      nodes.push(ethNodeOf(args.hash as Hex));
    return nodes.filter((node) => node !== undefined);
  });
}

/** First log of each node that says anything of its state: registries, registrar of 2020, wrapper. */
function firstBlocks(logs: readonly Log[]): Map<Hex, Log> {
  const firsts = new Map<Hex, Log>();
  for (const log of logs) {
    const isState =
      (log.role === "registry" && log.eventName !== "NewTTL") ||
      (log.role === "registrar" && log.entry?.generation === 2 && log.eventName !== "Approval") ||
      (log.role === "wrapper" && log.eventName !== "Approval");
    if (!isState) continue;
    const named = nodesOf([log]);
    // NewOwner names the parent first, and writes the child only.
    const written = Array.isArray(log.args.ids) ? named : named.slice(-1);
    for (const node of written) if (!firsts.has(node)) firsts.set(node, log);
  }
  return firsts;
}

async function readStates(
  evidence: Evidence,
  nodes: readonly Hex[],
  positions: Map<Hex, Position>,
): Promise<State[]> {
  const registry = contractOf(evidence, "registry", 2)?.address as Hex;
  const registrar = contractOf(evidence, "registrar", 2)?.address as Hex;
  const wrapper = contractOf(evidence, "wrapper")?.address;
  const each = <Result>(toQuestion: (node: Hex) => Omit<Question, "abi"> | null, moment?: Moment) =>
    askSome<Result>(evidence, nodes.map(toQuestion), moment);
  const tokenOf = (node: Hex) => {
    const position = positions.get(node);
    return position?.parent === ETH_NODE ? BigInt(position.labelhash) : null;
  };
  const ofToken = (functionName: string) => (node: Hex) => {
    const token = tokenOf(node);
    return token === null ? null : { to: registrar, functionName, args: [token] };
  };
  const ofWrapper = (functionName: string) => (node: Hex) =>
    wrapper === undefined ? null : { to: wrapper, functionName, args: [BigInt(node)] };
  const owners = await each<Hex>((node) => ({ to: registry, functionName: "owner", args: [node] }));
  const resolvers = await each<Hex>((node) => ({ to: registry, functionName: "resolver", args: [node] }));
  const records = await each<boolean>((node) => ({
    to: registry,
    functionName: "recordExists",
    args: [node],
  }));
  const holders = await each<Hex>(ofToken("ownerOf"), { time: 0n });
  const expiries = await each<bigint>(ofToken("nameExpires"));
  const stored = await each<[Hex, number, bigint]>(ofWrapper("getData"), { time: 0n });
  const current = await each<[Hex, number, bigint]>(ofWrapper("getData"), { time: evidence.now });
  const wrapped = await each<boolean>(
    (node) => {
      const position = positions.get(node);
      if (wrapper === undefined || position === undefined) return null;
      return { to: wrapper, functionName: "isWrapped", args: [position.parent, position.labelhash] };
    },
    { time: 0n },
  );
  return nodes.map((_, index) => ({
    registryOwner: orNone(owners[index]),
    resolver: orNone(resolvers[index]),
    isMigrated: records[index] ?? false,
    registrarOwner: orNone(holders[index]),
    registrarExpiry: expiries[index] || null,
    wrapper: toWrapperData(stored[index]),
    wrapperNow: toWrapperData(current[index]),
    // For .eth names the wrapper answers by the registrar alone; a wrapped name needs the registry and a token too.
    isWrapped:
      wrapped[index] === true &&
      orNone(owners[index]) === orNone(wrapper) &&
      orNone(stored[index]?.[0]) !== null,
  }));
}

/** Asks those questions that there are; null for the others. */
async function askSome<Result>(
  { rpcUrl }: Evidence,
  questions: readonly (Omit<Question, "abi"> | null)[],
  moment?: Moment,
): Promise<(Result | null)[]> {
  const asked = questions.flatMap((question) => (question === null ? [] : [{ ...question, abi: reads }]));
  const answers = await ask<Result>(rpcUrl, asked, moment);
  return questions.map((question) => (question === null ? null : (answers.shift() ?? null)));
}

const toWrapperData = (data: [Hex, number, bigint] | null | undefined): WrapperData => ({
  owner: orNone(data?.[0]),
  fuses: data?.[1] ?? 0,
  expiry: data?.[2] ?? 0n,
});

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

/** The layers in their order: wrapper, registrar, registry. */
const effectiveOwnerOf = (state: State): string | null =>
  (state.isWrapped ? state.wrapper.owner : null) ?? state.registrarOwner ?? state.registryOwner;

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

/** Fuses and expiry as stored, and by the rules of lapse as `getData` answers them at the head's time. */
function judgeWrapperData(evidence: Evidence, what: string, row: Row, { wrapper, wrapperNow }: State): void {
  // The wrapper's constructor stores fuses of the root and of .eth, and logs nothing.
  if (row.node === zeroHash || row.node === ETH_NODE) return;
  const fuses = Number(row.wrapper_fuses ?? 0);
  const expiry = BigInt(String(row.wrapper_expiry_timestamp ?? 0));
  compare(
    evidence,
    what,
    { wrapper_fuses: fuses, wrapper_expiry_timestamp: expiry },
    {
      wrapper_fuses: wrapper.fuses,
      wrapper_expiry_timestamp: wrapper.expiry,
    },
  );
  const token = { fuses, expiry };
  const now = {
    "wrapper owner now": isLapsed(token, evidence.now) ? null : row.wrapper_owner,
    "fuses now": fusesAt(token, evidence.now),
  };
  compare(evidence, what, now, { "wrapper owner now": wrapperNow.owner, "fuses now": wrapperNow.fuses });
}

type Naming = { position: Position | undefined; rows: Map<Hex, Row> };

/** The row's label is the one of its labelhash, shown if any event spells it out; the name is the path of labels. */
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
    if (label !== hiddenLabel(hash)) differ(`${what}: label is ${show(label)} and not known, hash ${hash}`);
  }
  const parent = position === undefined ? undefined : rows.get(position.parent);
  const path = parent === undefined || parent.full_name === "" ? label : `${label}.${parent.full_name}`;
  if (row.full_name !== path)
    differ(`${what}: full_name is ${show(row.full_name)}, labels say ${show(path)}`);
  const isKnown = row.is_label_known === true && parent?.is_name_known === true;
  if (row.is_name_known !== isKnown) differ(`${what}: is_name_known is ${show(row.is_name_known)}`);
  const length = row.is_label_known === true ? [...label].length : null;
  if (plain(row.label_length) !== plain(length)) differ(`${what}: label_length is ${show(row.label_length)}`);
  if (position !== undefined && nodeOfShownName(String(row.full_name)) !== row.node) {
    differ(`${what}: the namehash of its full_name is another node`);
  }
}

/** namehash of a name in which unknown labels stand as `[hash]`. */
function nodeOfShownName(name: string): Hex {
  return name.split(".").reduceRight<Hex>((node, label) => {
    const hidden = /^\[([0-9a-f]{64})\]$/.exec(label)?.[1];
    return nodeBelowHash(node, hidden === undefined ? hashOfLabel(label) : `0x${hidden}`);
  }, zeroHash);
}

/** The last row of each node's changes says what holds now; nodes without one never had anything. */
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

/** Texts of labels hash to their key, and every label that an event spells out is there or well known. */
async function judgeLabels({ query, differ, count }: Evidence): Promise<void> {
  for (const row of await query("select * from labels where label is not null")) {
    count("labels");
    if (hashOfLabel(String(row.label)) !== row.labelhash) {
      differ(`labels ${row.labelhash}: ${show(row.label)} has another hash`);
    }
  }
}
