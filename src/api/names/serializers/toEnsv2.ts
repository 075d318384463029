import { zeroAddress } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import type { DomainState } from "../resolution/domainState.ts";
import { startOf } from "../rules/ensv2Protocol.ts";
import { lifeOf } from "../rules/life.ts";
import { endsOfPhases } from "../rules/lifeEnds.ts";
import type { OwnersNow } from "../rules/ownership.ts";
import type * as schemas from "../schemas/answers.ts";
import { isEthSecondLevel } from "../schemas/input.ts";
import { toAddress, toDecimal, toHappened } from "./hex.ts";
import { roleNames } from "./toRoles.ts";

type Fields = Partial<z.infer<typeof schemas.ensv2>>;

/** The protocol that controls a name; empty if the deployment has no ENSv2, and for names of a layer 2. */
function protocolFields(state: DomainState, contracts: Contracts): Pick<Fields, "protocol" | "registry"> {
  if (contracts.ensv2 === undefined || state.chainId !== contracts.chainId) return {};
  const { registry, ensv2 } = state;
  return {
    protocol: ensv2?.protocol ?? (registry === null ? "ensv1" : "ensv2"),
    ...(registry && registry !== zeroAddress && { registry: toAddress(registry) }),
  };
}

/** The ENSv2 fields of a domain record. */
export function ensv2Fields(
  state: DomainState,
  owners: OwnersNow,
  { contracts, now }: { contracts: Contracts; now: number },
): Fields {
  const fields = protocolFields(state, contracts);
  if (fields.protocol === undefined) return {};
  const token = tokenOf(state, owners, contracts);
  return {
    ...fields,
    ...(token && { token }),
    ...rolesOf(state),
    ...subregistryOf(state, now),
    ...reservationOf(state),
    ...migrationOf(state),
    ...endsOf(state, contracts),
  };
}

/** When the premium of an ENSv2 .eth name ends, by its registrar's terms. */
function endsOf(state: DomainState, { ensv2 }: Contracts): Pick<Fields, "premium_end_timestamp"> {
  if (state.ensv2?.protocol !== "ensv2" || state.registry === null || !isEthSecondLevel(state)) return {};
  const premium = endsOfPhases(state, lifeOf(ensv2)).find(({ phase }) => phase === "premium")?.at;
  return premium === undefined ? {} : { premium_end_timestamp: premium.toString() };
}

/** Token ID of an ENSv2 name; undefined for other names, and once the token is gone. */
export function ensv2TokenId({ ensv2 }: DomainState): bigint | undefined {
  if (ensv2?.protocol !== "ensv2") return undefined;
  const { liveTokenId, walk } = ensv2;
  return liveTokenId === undefined
    ? walk.entry?.owner
      ? walk.entry.tokenId
      : undefined
    : (liveTokenId ?? undefined);
}

/** The token that the owner holds. */
function tokenOf(state: DomainState, owners: OwnersNow, contracts: Contracts): Fields["token"] {
  const { registry, labelhash, registrarOwner } = state;
  if (registry !== null) {
    const id = ensv2TokenId(state);
    return id === undefined
      ? undefined
      : { contract: toAddress(registry), id: id.toString(), standard: "ERC-1155" };
  }
  const { wrappers, registrars } = contracts.nameTokens;
  const [wrapper, registrar] = [wrappers[0], registrars[0]];
  if (owners.isWrapped && wrapper)
    return { contract: toAddress(wrapper), id: toDecimal(state.node), standard: "ERC-1155" };
  if (!isEthSecondLevel(state) || registrarOwner === null || labelhash === null || !registrar)
    return undefined;
  return { contract: toAddress(registrar), id: toDecimal(labelhash), standard: "ERC-721" };
}

function rolesOf({ ensv2 }: DomainState): Pick<Fields, "roles"> {
  const holders = ensv2?.details?.holders;
  if (holders === undefined) return {};
  return {
    roles: {
      holders: holders.map(({ account, roles }) => ({
        address: toAddress(account),
        roles: roleNames(roles),
      })),
      total: holders[0]?.total ?? 0,
    },
  };
}

/** The registry of the subnames. An expired entry has none. */
function subregistryOf({ ensv2 }: DomainState, now: number): Pick<Fields, "subregistry"> {
  const entry = ensv2?.protocol === "ensv2" ? ensv2.walk.entry : null;
  return entry?.subregistry && entry.expiry > BigInt(now)
    ? { subregistry: toAddress(entry.subregistry) }
    : {};
}

function reservationOf({ ensv2 }: DomainState): Pick<Fields, "reservation"> {
  const entry = ensv2?.walk.entry;
  const start = entry && !entry.isRegistered ? startOf(entry, "reserved") : null;
  if (!entry || start === null) return {};
  return {
    reservation: {
      registry: toAddress(entry.registry),
      token_id: entry.tokenId.toString(),
      expiry_timestamp: entry.expiry.toString(),
      ...toHappened(start),
    },
  };
}

function migrationOf({ ensv2 }: DomainState): Pick<Fields, "migration"> {
  const migration = ensv2?.details?.migration;
  if (!migration) return {};
  const { fromOwner, toOwner } = migration;
  return {
    migration: {
      from_address: fromOwner && toAddress(fromOwner),
      to_address: toOwner && toAddress(toOwner),
      ...toHappened(migration),
    },
  };
}
