import type { Hex } from "viem";
import type { Log } from "./chainLogs.ts";
import { type Position, positionsOf } from "./names.ts";
import { effectiveOwnerOf, nodesWritten, readStates } from "./nodeStates.ts";
import { compare, type Evidence, type Row } from "./oracle.ts";

/** Number of blocks in one question. */
const ASKED_AT_ONCE = 4;

/** Rows of changes by node, oldest first. */
type Changes = Map<Hex, Row[]>;

/**
 * The history of owners and resolvers: for every block that changed a name, the name's last change up to then must match the
 * contracts at that block.
 */
export async function judgeChanges(evidence: Evidence): Promise<void> {
  const owners = await readChanges(evidence, "ownership_changes");
  const resolvers = await readChanges(evidence, "resolver_changes");
  const positions = positionsOf(evidence.logs);
  judgePrevious(evidence, resolvers);
  const blocks = [...writtenByBlock(evidence.logs)];
  for (let start = 0; start < blocks.length; start += ASKED_AT_ONCE) {
    const some = blocks.slice(start, start + ASKED_AT_ONCE);
    await Promise.all(
      some.map(([block, nodes]) => judgeBlock(evidence, { block, nodes, positions, owners, resolvers })),
    );
  }
}

async function readChanges(
  { query, deployment }: Evidence,
  table: "ownership_changes" | "resolver_changes",
): Promise<Changes> {
  const order =
    table === "ownership_changes" ? "block_number, log_index, ordinal" : "block_number, log_index";
  const rows = await query(`select * from ${table} where chain_id = ${deployment.chainId} order by ${order}`);
  return Map.groupBy(rows, (row) => row.node as Hex);
}

/** The previous value in each resolver change must equal the one in the change before. */
function judgePrevious(evidence: Evidence, resolvers: Changes): void {
  for (const [node, rows] of resolvers) {
    for (const [index, row] of rows.entries()) {
      const previous_resolver = rows[index - 1]?.resolver ?? null;
      const place = `resolver_changes of ${node} at ${row.block_number}`;
      compare(evidence, place, row, { previous_resolver });
    }
  }
}

function writtenByBlock(logs: readonly Log[]): Map<number, Set<Hex>> {
  const blocks = new Map<number, Set<Hex>>();
  for (const log of logs) {
    for (const node of nodesWritten(log)) {
      blocks.set(log.blockNumber, (blocks.get(log.blockNumber) ?? new Set()).add(node));
    }
  }
  return blocks;
}

type Block = {
  block: number;
  nodes: Set<Hex>;
  positions: Map<Hex, Position>;
  owners: Changes;
  resolvers: Changes;
};

async function judgeBlock(
  evidence: Evidence,
  { block, nodes, positions, owners, resolvers }: Block,
): Promise<void> {
  const asked = [...nodes];
  const states = await readStates(evidence, asked, { positions, block: BigInt(block) });
  const lastOf = (changes: Changes, node: Hex): Row =>
    changes.get(node)?.findLast((row) => Number(row.block_number) <= block) ?? {};
  for (const [index, node] of asked.entries()) {
    const state = states[index];
    if (state === undefined) continue;
    evidence.count("states in the past");
    compare(evidence, `ownership_changes of ${node} at ${block}`, lastOf(owners, node), {
      owner_address: effectiveOwnerOf(state),
      registry_owner: state.registryOwner,
      registrar_owner: state.registrarOwner,
      wrapper_owner: state.wrapper.owner,
      ...(state.wrapper.owner !== null && {
        wrapper_fuses: state.wrapper.fuses,
        wrapper_expiry_timestamp: state.wrapper.expiry,
      }),
    });
    const resolver = { resolver: state.resolver };
    compare(evidence, `resolver_changes of ${node} at ${block}`, lastOf(resolvers, node), resolver);
  }
}
