import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { listNamesOfResolver } from "../counts/searchTotals.ts";
import { findProxy } from "../query/contracts/registries.ts";
import { formerKeys, linkKeys, listFormerNames, listLinksOf } from "../query/contracts/resolvers.ts";
import { holderKeys, listRolesIn } from "../query/contracts/roles.ts";
import { domainKeys, type SortDirection } from "../query/page.ts";
import { sqlOf } from "../query/scope.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { checkListed } from "../resolution/listedNames.ts";
import {
  address,
  domainItem,
  formerName,
  pageFields,
  resolverLink,
  resolverOverview,
  roleHolder,
} from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { listPage, type PageInput } from "../schemas/paging.ts";
import { ALL_CHAINS } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { openPage } from "../serializers/listPages.ts";
import { toFormerName, toLink, toProxyFields, toResolverRoleHolder } from "../serializers/toContracts.ts";
import { toDomainItem } from "../serializers/toDomain.ts";
import { withAddress } from "./askedAddress.ts";

type Asked = PageInput & { address: Address };
type OnChains = Asked & { chain?: readonly string[] | undefined };

async function readNames(ctx: Ctx, request: OnChains & { sort_dir: SortDirection }) {
  const chains = askedChains(request.chain, ctx.contracts);
  const order = { sortBy: "full_name", sortDir: request.sort_dir } as const;
  const { part, fields } = openPage(
    "/resolver/{address}/names",
    request,
    domainKeys(order, ctx.now, sqlOf(chains)),
  );
  const of = { chains, resolver: request.address, now: ctx.now };
  const { rows, condition, ...found } = await listNamesOfResolver(ctx.db, { ...part, ...order }, of);
  const names = await checkListed(ctx, [{ rows, condition }]);
  return { results: [...names.values()].map((name) => toDomainItem(name, ctx)), ...fields(found) };
}

async function readFormer(ctx: Ctx, request: OnChains) {
  const { part, fields } = openPage("/resolver/{address}/former-names", request, formerKeys());
  const of = { chains: askedChains(request.chain, ctx.contracts), resolver: request.address };
  const { rows, ...found } = await listFormerNames(ctx.db, of, part);
  return { results: rows.map((row) => toFormerName(row, ctx)), ...fields(found) };
}

async function readLinks(ctx: Ctx, request: Asked & { record?: bigint | undefined }) {
  const { part, fields } = openPage("/resolver/{address}/links", request, linkKeys());
  const of = { chainId: ctx.contracts.chainId, resolver: request.address, record: request.record };
  const { rows, ...found } = await listLinksOf(ctx.db, of, part);
  return { results: rows.map(toLink), ...fields(found) };
}

async function readRoles(ctx: Ctx, request: Asked) {
  const { part, fields } = openPage("/resolver/{address}/roles", request, holderKeys());
  const of = { chainId: ctx.contracts.chainId, contract: request.address };
  const { rows, ...found } = await listRolesIn(ctx.db, of, part);
  return { results: rows.map(toResolverRoleHolder), ...fields(found) };
}

/** The resolver on each chain that knows the address, and always on the main chain. */
async function readContracts(ctx: Ctx, address: Address) {
  const { contracts } = ctx;
  const { chainIds, chainId: mainId, chainName, ensv2 } = contracts;
  const proxy = await findProxy(ctx.db, { chainId: mainId, address });
  return chainIds.flatMap((chainId) => {
    const isListed = contracts.resolversOf(chainId).listed.includes(address);
    const own = chainId === mainId ? proxy : null;
    const isOfEnsv2 = own !== null && (ensv2?.resolverCode.has(own.implementation) ?? false);
    const isBridge = chainId === mainId && (ensv2?.ensV1Resolvers.has(address) ?? false);
    if (!isListed && chainId !== mainId) return [];
    const isIndexed = isOfEnsv2 || contracts.isIndexedResolver(address, chainId);
    return [
      {
        chain: chainName(chainId),
        kind: isListed
          ? ("listed" as const)
          : isOfEnsv2
            ? ("ensv2" as const)
            : isBridge
              ? ("ensv1_bridge" as const)
              : ("unknown" as const),
        ...(isListed && { contract: contracts.contractLabel({ family: "RESOLVER", chainId, address }) }),
        status: isIndexed ? ("indexed" as const) : ("unindexed" as const),
        ...toProxyFields(own),
        ...(own && { block_number: own.blockNumber, transaction_hash: own.transactionHash }),
      },
    ];
  });
}

const CONTRACT = {
  method: "get",
  group: "Contracts",
  params: z.object({ address: input.address() }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
} as const;

const { page_size, total } = listPage();

const overview = endpoint({
  path: "/resolver/{address}",
  ...CONTRACT,
  summary: "Resolver",
  description:
    "What is known about a resolver, and the start of its lists: current names, former names and, for an ENSv2 resolver, links by record and role holders. Each list has its own operation, where its `next_cursor` continues. Its logs are at `/contract/{address}/events`.",
  query: z.object({ page_size, total }),
  reply: resolverOverview,
  handle: async (request, ctx) => {
    const [contracts, names, former, links, roles] = await Promise.all([
      readContracts(ctx, request.address),
      readNames(ctx, { ...request, sort_dir: "asc" }),
      readFormer(ctx, request),
      readLinks(ctx, request),
      readRoles(ctx, request),
    ]);
    const beginning = <List extends { page?: number }>({ page: _, ...list }: List) => list;
    return {
      address: toAddress(request.address),
      contracts,
      names: beginning(names),
      former_names: beginning(former),
      links: beginning(links),
      roles: beginning(roles),
    };
  },
});

const names = endpoint({
  path: "/resolver/{address}/names",
  ...CONTRACT,
  summary: "Names of a resolver",
  description:
    "Names that use the resolver now, sorted by name, including expired ones. Reverse nodes (`<address>.addr.reverse`) are not counted as names.",
  query: z.object({ chain: input.chains(ALL_CHAINS), ...listPage(), sort_dir: input.sortDir() }),
  reply: z.strictObject({ address, results: z.array(domainItem), ...pageFields }),
  handle: withAddress(readNames),
});

const formerNames = endpoint({
  path: "/resolver/{address}/former-names",
  ...CONTRACT,
  summary: "Former names of a resolver",
  description:
    "Periods in which a name had the resolver, until its registry set another or none; the last end comes first. A name can be here and among the current names. Reverse nodes are included. An end by time alone (an ENSv2 entry that expired) is not shown.",
  query: z.object({ chain: input.chains(ALL_CHAINS), ...listPage() }),
  reply: z.strictObject({ address, results: z.array(formerName), ...pageFields }),
  handle: withAddress(readFormer),
});

const WRONG_RECORD = "`record` must be a whole number below 2^256.";

/** The record's number in the resolver's own count. */
const recordNumber = z
  .string()
  .regex(/^[0-9]{1,78}$/, { error: () => WRONG_RECORD })
  .transform(BigInt)
  .refine((number) => number < 2n ** 256n, { error: () => WRONG_RECORD })
  .openapi({ type: "string", description: "Only links to this record", example: "1" })
  .optional();

const links = endpoint({
  path: "/resolver/{address}/links",
  ...CONTRACT,
  summary: "Links of an ENSv2 resolver",
  description:
    "Names by the record they show. A link says nothing about ownership: it counts only if the name uses this resolver. The root link applies to all names without one.",
  query: z.object({ record: recordNumber, ...listPage() }),
  reply: z.strictObject({ address, results: z.array(resolverLink), ...pageFields }),
  handle: withAddress(readLinks),
});

const roles = endpoint({
  path: "/resolver/{address}/roles",
  ...CONTRACT,
  summary: "ENSv2 roles of a resolver",
  description:
    "Accounts with roles, by resource: 0 for the whole resolver, otherwise a number that the resolver derives from a record and one of its parts.",
  query: z.object({ ...listPage() }),
  reply: z.strictObject({ address, results: z.array(roleHolder), ...pageFields }),
  handle: withAddress(readRoles),
});

export const resolverEndpoints = [overview, names, formerNames, links, roles];
