import type { Address, Hex } from "viem";
import type { Contracts, Managed } from "../../../../abis/contracts.ts";
import { nodeOfNameByNode } from "../../../ens/name.ts";
import type { Ctx } from "../../server/http/context.ts";
import { chunksOf } from "../../server/scheduling/chunks.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import { listRecordRows, type RecordRow } from "../counts/recordRows.ts";
import { type DomainRow, listDomains, listDomainsOnChains } from "../query/domains.ts";
import { allChains, mainChain } from "../query/scope.ts";
import { ancestorNodes, type ParsedName } from "../schemas/input.ts";
import type { Requested } from "./indexedName.ts";

/** The facts that decide which row represents a name below a managed name. */
type RowChoice<Row> = {
  /** The node's row on the main chain. */
  main: Row | undefined;
  /** The node's row on the layer 2 of the managed name. */
  layer2: Row | undefined;
  /** The managed name's resolver on the main chain, and the resolvers that forward to the layer 2's registry. */
  managedResolver: Address | null;
  bridges: readonly Address[];
  /** Resolvers on the main chain of the nodes between the name and the managed name; null if one is unknown. */
  between: readonly (Address | null)[] | null;
};

/**
 * Chooses the row of a name as resolution does (ENSIP-10): the nearest resolver on the main chain decides. The main chain's row
 * is used if it has its own resolver. The layer 2's row is used if the nearest resolver above is the managed name's and forwards
 * to the layer 2. Otherwise the main chain's row is used, if there is one.
 */
function chooseRow<Row extends { resolver: Address | null }>(choice: RowChoice<Row>): Row | undefined {
  const { main, layer2, managedResolver, bridges, between } = choice;
  if (main?.resolver || layer2 === undefined) return main;
  const isNearest = between?.every((resolver) => resolver === null) ?? false;
  const isBridged = managedResolver !== null && bridges.includes(managedResolver);
  return isNearest && isBridged ? layer2 : main;
}

/** Reads the rows of names and nodes. If a node has rows on several chains, chooses the one that represents the name. */
export async function readAnsweringRows(ctx: Ctx, requested: readonly Requested[]): Promise<Rows> {
  const { managed, chainId } = ctx.contracts;
  const nodes = requested.map(({ node }) => node);
  if (managed.length === 0) return readMainRows(ctx, nodes);
  const betweenOf = await findBetween(ctx.contracts, requested);
  const above = [
    ...managed.map(({ node }) => node),
    ...[...betweenOf.values()].flatMap((some) => some ?? []),
  ];
  const chains = allChains(ctx.contracts);
  const rows = await inChunks([...nodes, ...above], (some) =>
    listDomainsOnChains(ctx.db, { chains, nodes: some }),
  );
  const onMain = new Map(rows.flatMap((row) => (row.chainId === chainId ? [[row.node, row] as const] : [])));
  const onLayer2 = rows.filter((row) => row.chainId !== chainId);
  const read = await readBetween(ctx, { onLayer2, onMain, betweenOf });
  const layer2 = new Map(onLayer2.map((row) => [row.node, row]));
  const chosen = [...new Set(nodes)].flatMap((node) => {
    const row = choose(node, { layer2: layer2.get(node), onMain: read, betweenOf, managed });
    return row ? [[node, row] as const] : [];
  });
  return new Map(chosen);
}

/**
 * Reads the same rows for domain records. If only the main chain is indexed, the statement also reads the details. Otherwise the
 * details depend on the chains of each name, and are read afterwards.
 */
export async function readRowsOfRecords(ctx: Ctx, requested: readonly Requested[]): Promise<Rows> {
  if (ctx.contracts.chainIds.length > 1) return readAnsweringRows(ctx, requested);
  const chains = mainChain(ctx.contracts);
  const nodes = requested.map(({ node }) => node);
  return byNode(await inChunks(nodes, (some) => listRecordRows(ctx.db, { chains, nodes: some })));
}

/** Rows by node. */
type Rows = ReadonlyMap<Hex, RecordRow>;

const byNode = (rows: readonly RecordRow[]): Rows => new Map(rows.map((row) => [row.node, row]));

/** Nodes between a node and its managed name; null if the path up is unknown. */
type Between = Map<Hex, readonly Hex[] | null>;

function choose(
  node: Hex,
  {
    layer2,
    onMain,
    betweenOf,
    managed,
  }: { layer2: DomainRow | undefined; onMain: Rows; betweenOf: Between; managed: readonly Managed[] },
): DomainRow | undefined {
  const above = managed.find(({ chainId }) => chainId === layer2?.chainId);
  const resolverOf = (of: Hex) => onMain.get(of)?.resolver ?? null;
  return chooseRow({
    main: onMain.get(node),
    layer2,
    managedResolver: above ? resolverOf(above.node) : null,
    bridges: above?.bridges ?? [],
    between: betweenOf.get(node)?.map(resolverOf) ?? null,
  });
}

/** Finds the nodes between each name and its managed name, as far as the text is known. */
async function findBetween({ managed }: Contracts, requested: readonly Requested[]): Promise<Between> {
  const found = await mapYielding(requested, (one) =>
    "name" in one ? betweenByName(one, managed) : undefined,
  );
  return new Map(
    requested.flatMap(({ node }, i) => {
      const between = found[i];
      return between === undefined ? [] : [[node, between] as const];
    }),
  );
}

function betweenByName(
  { name, parentNode }: Pick<ParsedName, "name" | "parentNode">,
  managed: readonly Managed[],
): readonly Hex[] | undefined {
  if (managed.some(({ node }) => node === parentNode)) return [];
  if (nodeOfNameByNode(name) !== null || name.split(".").length < FEWEST_LABELS) return undefined;
  const ancestors = ancestorNodes(name);
  const managedNodes = new Set(managed.map(({ node }) => node));
  const place = ancestors.findIndex((node) => managedNodes.has(node));
  return place < 0 ? undefined : ancestors.slice(0, place);
}

/** Managed names have two labels, and a name with another one in between has two more. */
const FEWEST_LABELS = 4;

/**
 * Adds the nodes between layer 2 rows and their managed name that only the rows reveal. They are unknown for a name written by
 * its node, because no text of it is short enough to be resolved.
 */
async function readBetween(
  ctx: Ctx,
  { onLayer2, onMain, betweenOf }: { onLayer2: readonly DomainRow[]; onMain: Rows; betweenOf: Between },
): Promise<Rows> {
  const unknown = onLayer2.filter(({ node }) => !betweenOf.has(node));
  for (const { node, fullName, parentNode } of unknown) {
    betweenOf.set(node, betweenByName({ name: fullName, parentNode }, ctx.contracts.managed) ?? null);
  }
  const missing = unknown
    .filter(({ node }) => !onMain.get(node)?.resolver)
    .flatMap(({ node }) => betweenOf.get(node) ?? []);
  if (missing.length === 0) return onMain;
  return new Map([...onMain, ...(await readMainRows(ctx, missing))]);
}

/** Reads these nodes' rows on the main chain. The rows of ENSv2 names may lag. */
export async function readMainRows(
  { db, contracts: { chainId } }: Ctx,
  nodes: readonly Hex[],
): Promise<Rows> {
  const rows = await inChunks(nodes, (some) => listDomains(db, { chainId, nodes: some }));
  return byNode(rows);
}

/** Nodes per query. More would hold the database and the event loop for too long. */
const NODES_OF_QUERY = 2_000;

async function inChunks(
  nodes: readonly Hex[],
  read: (some: readonly Hex[]) => Promise<DomainRow[]>,
): Promise<DomainRow[]> {
  const rows: DomainRow[] = [];
  for (const some of chunksOf([...new Set(nodes)], NODES_OF_QUERY)) rows.push(...(await read(some)));
  return rows;
}
