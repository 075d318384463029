import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import {
  countForDetach,
  type DetachCounts,
  findFirstLog,
  findProxy,
  findRegistry,
  labelKeys,
  listLabels,
  listMounts,
  listReferring,
  type MountedName,
  referringKeys,
} from "../query/contracts/registries.ts";
import { countHolders } from "../query/contracts/roles.ts";
import { countEvents } from "../query/eventLists.ts";
import { MAX_COUNTED_IN_OVERVIEW, type SortDirection } from "../query/page.ts";
import { oneChain } from "../query/scope.ts";
import { readLabelStates } from "../resolution/nameFacts.ts";
import { address, pageFields, referringName, registryLabel, registryOverview } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { listPage, type PageInput } from "../schemas/paging.ts";
import { toAddress, toHappened } from "../serializers/hex.ts";
import { openPage } from "../serializers/listPages.ts";
import { registryKind, toLabel, toProxyFields, toReferring } from "../serializers/toContracts.ts";
import { withAddress } from "./askedAddress.ts";

type Asked = PageInput & { address: Address };

const at = ({ contracts: { chainId } }: Ctx, { address: registry }: Asked) => ({ chainId, registry });

async function readReferring(ctx: Ctx, request: Asked) {
  const { part, fields } = openPage("/registry/{address}/referring-names", request, referringKeys());
  const { rows, ...found } = await listReferring(ctx.db, at(ctx, request), part);
  return { results: rows.map((row) => toReferring(row, ctx.now)), ...fields(found) };
}

/** The stored part of a registry. */
type Stored = {
  row: Awaited<ReturnType<typeof findRegistry>>;
  proxy: Awaited<ReturnType<typeof findProxy>>;
  names: readonly MountedName[];
  holders: number;
  rootHolders: number;
  /** What others than the owner would receive. */
  detach: DetachCounts | null;
};

async function readStored(ctx: Ctx, request: Asked & { owner?: Address | undefined }): Promise<Stored> {
  const { db, now } = ctx;
  const registry = at(ctx, request);
  const contract = { chainId: registry.chainId, contract: request.address };
  const [row, proxy, names, holders, rootHolders, detach] = await Promise.all([
    findRegistry(db, registry),
    findProxy(db, { chainId: registry.chainId, address: request.address }),
    listMounts(db, registry),
    countHolders(db, contract),
    countHolders(db, { ...contract, resource: 0n }),
    request.owner ? countForDetach(db, { ...registry, owner: request.owner, now }) : null,
  ]);
  return { row, proxy, names, holders, rootHolders, detach };
}

const CONTRACT = {
  method: "get",
  group: "Contracts",
  params: z.object({ address: input.address("0x00000000000000000000000000000000000e4201") }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
} as const;

const { page_size, total } = listPage();

const overview = endpoint({
  path: "/registry/{address}",
  ...CONTRACT,
  summary: "ENSv2 registry",
  description:
    "The kind of a registry, its names, its creation, its number of labels and role holders; with `owner`, what the registry would take from others if its name left it. An address that is not an indexed registry has kind `unknown` and no labels. Its logs are at `/contract/{address}/events`.",
  query: z.object({
    owner: input
      .address()
      .openapi({ description: "Adds `detach`: the number of labels not owned by this address" })
      .optional(),
    page_size,
    total,
  }),
  reply: registryOverview,
  handle: async (request, ctx) => {
    const { db, contracts } = ctx;
    const registry = at(ctx, request);
    const { owner: _, ...listed } = request;
    const source = {
      kind: "contract",
      address: request.address,
      chains: oneChain(registry.chainId, contracts),
    } as const;
    const [stored, referring, events] = await Promise.all([
      readStored(ctx, request),
      readReferring(ctx, listed),
      countEvents(db, source, MAX_COUNTED_IN_OVERVIEW),
    ]);
    const { row, proxy, names, holders, rootHolders, detach } = stored;
    const block = proxy?.blockNumber ?? row?.createdBlockNumber;
    const created = block && (await findFirstLog(db, { ...registry, address: request.address, block }));
    const { page: _page, ...referring_names } = referring;
    return {
      address: toAddress(request.address),
      kind: registryKind(contracts, request.address, proxy),
      ...toProxyFields(proxy),
      names: names.map(({ node, name }) => ({ name: name ?? "", namehash: node })),
      ...(row?.parentRegistry &&
        row.parentLabel !== null && {
          claimed_parent: { registry: toAddress(row.parentRegistry), label: row.parentLabel },
        }),
      ...(created && { created: toHappened(created) }),
      referring_names,
      label_count: row?.entries ?? 0,
      role_holder_count: holders,
      root_role_holder_count: rootHolders,
      event_count: Math.min(events, MAX_COUNTED_IN_OVERVIEW),
      ...(events > MAX_COUNTED_IN_OVERVIEW && { is_event_count_minimum: true as const }),
      ...(detach &&
        request.owner && {
          detach: {
            owner: toAddress(request.owner),
            labels: detach.labels,
            not_owned: detach.notOwned,
            ownerless: detach.ownerless,
          },
        }),
    };
  },
});

const referringNames = endpoint({
  path: "/registry/{address}/referring-names",
  ...CONTRACT,
  summary: "Names that refer to a registry",
  description:
    "Registry entries with this registry as their subregistry, whether or not a path from the root leads to them.",
  query: z.object({ ...listPage() }),
  reply: z.strictObject({ address, results: z.array(referringName), ...pageFields }),
  handle: withAddress(readReferring),
});

async function readLabels(ctx: Ctx, request: Asked & { sort_dir: SortDirection }) {
  const { part, fields } = openPage("/registry/{address}/labels", request, labelKeys(request.sort_dir));
  const registry = at(ctx, request);
  const [row, [mount]] = await Promise.all([findRegistry(ctx.db, registry), listMounts(ctx.db, registry)]);
  const list = { part, direction: request.sort_dir, total: row?.entries ?? 0 };
  const { rows, ...found } = await listLabels(ctx.db, registry, list);
  const entries = rows.map(({ entry }) => entry);
  const states = await readLabelStates(ctx, mount?.node ?? null, entries);
  const results = rows.map((label) => toLabel(label, { ctx, mount, state: states.get(label.entry) }));
  return { results, ...fields(found) };
}

const labels = endpoint({
  path: "/registry/{address}/labels",
  ...CONTRACT,
  summary: "Labels of a registry",
  description:
    "Every label that the registry ever had, sorted by label, with its stored data. Names are those below the registry's first name; if no name leads to the registry, there are only labels.",
  query: z.object({ ...listPage(), sort_dir: input.sortDir() }),
  reply: z.strictObject({ address, results: z.array(registryLabel), ...pageFields }),
  handle: withAddress(readLabels),
});

export const registryEndpoints = [overview, labels, referringNames];
