import { z } from "@hono/zod-openapi";
import { endpoint } from "../../server/http/endpoint.ts";
import { countOwned } from "../query/addresses/counts.ts";
import { positionKinds } from "../query/parts.ts";
import { askedChains } from "../resolution/askedChains.ts";
import { readNamePermissions } from "../resolution/permissions/namePermissions.ts";
import { readGrants } from "../resolution/permissions/ofAddress.ts";
import { ownersAt } from "../rules/ownership.ts";
import {
  address,
  burntFuses,
  count,
  grant,
  grantKinds,
  hash,
  notCovered,
  pageFields,
  parentPower,
  permission,
  permissionKinds,
} from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { listPage } from "../schemas/paging.ts";
import { ALL_CHAINS } from "../schemas/sentences.ts";
import { toAddress } from "../serializers/hex.ts";
import { openPage } from "../serializers/listPages.ts";
import {
  toBurntFuses,
  toGrant,
  toNotCovered,
  toParentPower,
  toPermission,
} from "../serializers/toPermissions.ts";
import { sumOf } from "../statistics/numbers.ts";
import { addressAt } from "./askedAddress.ts";

const kindsOf = <const T extends string>(kinds: readonly T[]) =>
  input.list(kinds, "kind", "Only these kinds, separated by commas; all by default").optional();

const namePermissions = endpoint({
  method: "get",
  path: "/domain/{name}/permissions",
  group: "Domains",
  summary: "Permissions on a name",
  description:
    "Accounts that can change the name now, and approvals no longer in force: what each may do, in which contract, and the event that granted it. Owners by layer come first, then approvals, operators, delegates, roles, and what the owners of the name above may do. `not_covered` says what the index cannot know. Revoked approvals are not listed.",
  params: z.object({ name: input.name() }),
  query: z.object({ kind: kindsOf(permissionKinds), ...listPage() }),
  reply: z.strictObject({
    domain: z.string(),
    namehash: hash,
    chain: z.string().optional().openapi({ description: "Absent if the index knows nothing about the name" }),
    protocol: z.enum(["ensv1", "ensv2"]).optional(),
    owner: address.optional().openapi({ description: "The effective owner" }),
    manager: address.optional().openapi({
      description:
        "The account that sets the resolver: the holder of a wrapped name or ENSv2 token, otherwise the owner in the registry",
    }),
    fuses: burntFuses,
    parent: parentPower,
    permissions: z.array(permission),
    not_covered: notCovered,
    ...pageFields,
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: { name: "get_permissions", view: "name" },
  handle: async (request, ctx) => {
    const { name, kind } = request;
    const { part, fields } = openPage("/domain/{name}/permissions", request, positionKinds);
    const found = await readNamePermissions(ctx, name, { part, kinds: kind ?? permissionKinds });
    const { state, parent, page, notCovered: uncovered } = found;
    const owners = state && ownersAt(state, ctx.now);
    const manager = owners?.isWrapped || state?.registry ? owners?.owner?.address : state?.registryOwner;
    const fuses = state && toBurntFuses(state, ctx.now);
    const at = { chainId: state?.chainId ?? ctx.contracts.chainId, contracts: ctx.contracts };
    return {
      domain: name.name,
      namehash: name.node,
      ...(state && { chain: ctx.contracts.chainName(state.chainId), protocol: found.protocol }),
      ...(owners?.owner && { owner: toAddress(owners.owner.address) }),
      ...(manager && { manager: toAddress(manager) }),
      ...(fuses && { fuses }),
      parent: toParentPower(parent),
      permissions: page.rows.map((one) => toPermission(one, at)),
      not_covered: toNotCovered(uncovered),
      ...fields(page),
    };
  },
});

const directions = ["held", "given"] as const;

const addressPermissions = endpoint({
  method: "get",
  path: "/address/{address}/permissions",
  group: "Addresses",
  summary: "Permissions held or granted by an address",
  description:
    "`direction=held`: what others let the address do: as operator for everything an owner has in a contract, as approved for one token, as delegate for the records of one name, and by ENSv2 roles. `direction=given`: what it lets others do. Its own names are counted, not listed. Revoked approvals are not listed.",
  params: z.object({ address: input.address() }),
  query: z.object({
    direction: input
      .choice(directions, "direction")
      .default("held")
      .openapi({ description: "What it holds from others, or what it granted" }),
    kind: kindsOf(grantKinds),
    chain: input.chains(ALL_CHAINS),
    ...listPage(),
  }),
  reply: z.strictObject({
    address,
    direction: z.enum(directions),
    own_names: z.strictObject({ count, operation: z.string() }).openapi({
      description:
        "Names that it effectively owns, including expired ones, and the operation that lists them",
    }),
    permissions: z.array(grant),
    not_covered: notCovered,
    ...pageFields,
  }),
  errors: ["INVALID_ADDRESS"],
  cost: 1,
  tool: { name: "get_permissions", view: "address" },
  handle: async (request, ctx) => {
    const { direction: side, kind, chain } = request;
    const { contracts } = ctx;
    const { part, fields } = openPage("/address/{address}/permissions", request, positionKinds);
    const { ids: chainIds } = askedChains(chain, contracts);
    const [page, held] = await Promise.all([
      readGrants(ctx, { address: request.address, side, chainIds, kinds: kind ?? grantKinds, part }),
      countOwned(ctx.db, addressAt(ctx, request)),
    ]);
    return {
      address: toAddress(request.address),
      direction: side,
      own_names: {
        count: sumOf([...held.values()], ({ total }) => total),
        operation: `/address/${toAddress(request.address)}/domains`,
      },
      permissions: page.rows.map((row) => toGrant(row, contracts)),
      not_covered: toNotCovered(["contracts", "controllers"]),
      ...fields(page),
    };
  },
});

export const permissionEndpoints = [namePermissions, addressPermissions];
