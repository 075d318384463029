import { z } from "@hono/zod-openapi";
import type { Address } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import { changeKeys, holderKeys, listRoleChanges, listRolesIn } from "../query/contracts/roles.ts";
import type { Ensv2Entry } from "../query/ensv2.ts";
import { emptyPage, type SortDirection } from "../query/page.ts";
import { readIndexed } from "../resolution/nameFacts.ts";
import { address, pageFields, roleChange, roleHolder, rolesOf } from "../schemas/answers.ts";
import { input, type ParsedName } from "../schemas/input.ts";
import { listPage, type PageInput } from "../schemas/paging.ts";
import { toAddress } from "../serializers/hex.ts";
import { type OpenPage, openPage } from "../serializers/listPages.ts";
import { toRoleChange, toRoleHolder } from "../serializers/toContracts.ts";

/** What roles apply to: one entry of a registry, or the whole registry. */
type Place = Pick<Ensv2Entry, "registry" | "resource"> & { entry: bigint };

/** The resource of a name; null for a name in no ENSv2 registry. */
async function placeOf(ctx: Ctx, name: ParsedName): Promise<Place | null> {
  const ensv2 = (await readIndexed(ctx, [name])).get(name.node)?.state.ensv2;
  const entry = ensv2?.protocol === "ensv2" ? ensv2.walk.entry : null;
  if (entry === null) return null;
  const { registry, resource, storageId } = entry;
  return { registry, resource, entry: BigInt(storageId) >> 32n };
}

/** A page of role holders. A reserved entry has no resource yet. */
async function readHolders(ctx: Ctx, place: Place | null, { part, fields }: OpenPage) {
  if (place === null || place.resource === null) return { results: [], ...fields(emptyPage(part)) };
  const of = { chainId: ctx.contracts.chainId, contract: place.registry, resource: place.resource };
  const { rows, ...found } = await listRolesIn(ctx.db, of, part);
  return { results: rows.map(toRoleHolder), ...fields(found) };
}

type ChangesAsked = PageInput & { account?: Address | undefined; sort_dir: SortDirection };

async function readChanges(ctx: Ctx, place: Place | null, operation: string, asked: ChangesAsked) {
  const { account, sort_dir: direction } = asked;
  const { part, fields } = openPage(operation, asked, changeKeys(direction));
  if (place === null) return { results: [], ...fields(emptyPage(part)) };
  const { registry: contract, entry } = place;
  const of = { chainId: ctx.contracts.chainId, contract, entry, account };
  const { rows, ...found } = await listRoleChanges(ctx.db, of, { part, direction });
  return { results: rows.map(toRoleChange), ...fields(found) };
}

const toPlaceFields = (place: Place | null) => ({
  registry: place && toAddress(place.registry),
  resource: place?.resource?.toString() ?? null,
});

const CHANGES = {
  account: input.address().openapi({ description: "Only changes of this account" }).optional(),
  ...listPage(),
  sort_dir: input.sortDir(),
};

const WORDS =
  "`<role>_ADMIN` may grant and revoke the role. Roles for the whole registry also apply to each of its labels; see `/registry/{address}/roles`.";

const ofName = endpoint({
  method: "get",
  path: "/domain/{name}/roles",
  group: "Domains",
  summary: "ENSv2 roles of a name",
  description: `Accounts with roles for the name's entry, sorted by address. ${WORDS} An ENSv1 name has none, and \`registry\` is null.`,
  params: z.object({ name: input.name() }),
  query: z.object({ ...listPage() }),
  reply: z.strictObject({ domain: z.string(), ...rolesOf, results: z.array(roleHolder), ...pageFields }),
  errors: ["INVALID_NAME"],
  cost: 1,
  handle: async (request, ctx) => {
    const { name } = request;
    const place = await placeOf(ctx, name);
    const page = await readHolders(ctx, place, openPage("/domain/{name}/roles", request, holderKeys()));
    return { domain: name.name, ...toPlaceFields(place), ...page };
  },
});

const changesOfName = endpoint({
  method: "get",
  path: "/domain/{name}/role-changes",
  group: "Domains",
  summary: "ENSv2 role changes of a name",
  description:
    "Logs that changed an account's roles for the name's entry, oldest first, including earlier registrations: each of them starts without roles.",
  params: z.object({ name: input.name() }),
  query: z.object(CHANGES),
  reply: z.strictObject({ domain: z.string(), ...rolesOf, results: z.array(roleChange), ...pageFields }),
  errors: ["INVALID_NAME", "INVALID_ADDRESS"],
  cost: 1,
  handle: async (request, ctx) => {
    const { name } = request;
    const place = await placeOf(ctx, name);
    const page = await readChanges(ctx, place, "/domain/{name}/role-changes", request);
    return { domain: name.name, ...toPlaceFields(place), ...page };
  },
});

/** The resource of a whole registry; null where ENSv2 is not indexed. */
const rootPlace = ({ contracts }: Ctx, registry: Address): Place | null =>
  contracts.ensv2 === undefined ? null : { registry, resource: 0n, entry: 0n };

const REGISTRY = z.object({ address: input.address() });

const ofRegistry = endpoint({
  method: "get",
  path: "/registry/{address}/roles",
  group: "Contracts",
  summary: "ENSv2 roles of a whole registry",
  description:
    "Accounts with roles for the registry as a whole, sorted by address. These apply to each of its labels. Roles for one label are at `/domain/{name}/roles`.",
  params: REGISTRY,
  query: z.object({ ...listPage() }),
  reply: z.strictObject({ address, results: z.array(roleHolder), ...pageFields }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  handle: async (request, ctx) => {
    const page = openPage("/registry/{address}/roles", request, holderKeys());
    const place = rootPlace(ctx, request.address);
    return { address: toAddress(request.address), ...(await readHolders(ctx, place, page)) };
  },
});

const changesOfRegistry = endpoint({
  method: "get",
  path: "/registry/{address}/role-changes",
  group: "Contracts",
  summary: "ENSv2 role changes of a whole registry",
  description: "Logs that changed an account's roles for the registry as a whole, oldest first.",
  params: REGISTRY,
  query: z.object(CHANGES),
  reply: z.strictObject({ address, results: z.array(roleChange), ...pageFields }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  handle: async (request, ctx) => {
    const place = rootPlace(ctx, request.address);
    const page = await readChanges(ctx, place, "/registry/{address}/role-changes", request);
    return { address: toAddress(request.address), ...page };
  },
});

export const roleEndpoints = [ofName, changesOfName, ofRegistry, changesOfRegistry];
