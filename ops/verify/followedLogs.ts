import { type Abi, type AbiEvent, decodeEventLog, type Hex, toEventSelector } from "viem";
import { agentAdapterAbi } from "../../abis/agentAdapter.ts";
import { agentRegistryAbi } from "../../abis/agentRegistry.ts";
import {
  addedControllerAbi,
  basenamesControllerAbi,
  controllerCostAbi,
  controllerPremiumAbi,
  controllerReferrerAbi,
  lineanamesControllerAbi,
  renewalReferrerAbi,
} from "../../abis/controllers.ts";
import type { Role } from "../../abis/deployments.ts";
import { dnsTokenAbi } from "../../abis/dnsToken.ts";
import {
  ensv2FactoryAbi,
  ensv2LabelStoreAbi,
  ensv2RegistrarAbi,
  ensv2RegistrarMarchAbi,
  ensv2RegistryAbi,
  ensv2RegistryFebruaryAbi,
  ensv2ResolverAbi,
  upgradedAbi,
} from "../../abis/ensv2.ts";
import { dnsRegistrarAbi, shortNameClaimsAbi, subdomainRegistrarAbi } from "../../abis/labelSources.ts";
import { nameWrapperAbi } from "../../abis/nameWrapper.ts";
import { priceFeedAbi } from "../../abis/priceFeed.ts";
import { auctionRegistrarAbi, basenamesRegistrarAbi, registrarAbi } from "../../abis/registrar.ts";
import { registryAbi } from "../../abis/registry.ts";
import { listedResolverAbi, resolverAbi, resolverUnindexedKeyAbi } from "../../abis/resolver.ts";
import {
  basenamesReverseRegistrarAbi,
  defaultReverseRegistrarAbi,
  nameForAddrAbi,
  reverseRegistrarAbi,
} from "../../abis/reverse.ts";
import type { CachedLog } from "../../engine/cachedLogs.ts";
import { registrarNode } from "../../src/ens/managedNames.ts";
import { childNode, hashOfTokenId } from "../../src/ens/name.ts";

const abis: readonly Abi[] = [
  agentAdapterAbi,
  agentRegistryAbi,
  dnsTokenAbi,
  nameWrapperAbi,
  registryAbi,
  renewalReferrerAbi,
  addedControllerAbi,
  basenamesControllerAbi,
  controllerCostAbi,
  controllerPremiumAbi,
  controllerReferrerAbi,
  lineanamesControllerAbi,
  auctionRegistrarAbi,
  basenamesRegistrarAbi,
  registrarAbi,
  listedResolverAbi,
  resolverAbi,
  resolverUnindexedKeyAbi,
  basenamesReverseRegistrarAbi,
  defaultReverseRegistrarAbi,
  nameForAddrAbi,
  reverseRegistrarAbi,
  ensv2FactoryAbi,
  ensv2LabelStoreAbi,
  ensv2RegistrarAbi,
  ensv2RegistrarMarchAbi,
  ensv2RegistryAbi,
  ensv2RegistryFebruaryAbi,
  ensv2ResolverAbi,
  upgradedAbi,
  priceFeedAbi,
  dnsRegistrarAbi,
  subdomainRegistrarAbi,
  shortNameClaimsAbi,
];

const eventsOf = (abi: Abi): AbiEvent[] => abi.filter((item): item is AbiEvent => item.type === "event");

const eventsBySelector = Map.groupBy(abis.flatMap(eventsOf), toEventSelector);

/** The events that the index has of a listed contract; by generation where these differ. */
export const followed: Partial<Record<`${Role}${"" | ` ${number}`}`, readonly Abi[]>> = {
  registry: [registryAbi],
  "registrar 0": [auctionRegistrarAbi],
  "registrar 1": [registrarAbi],
  "registrar 2": [registrarAbi],
  "registrar 3": [registrarAbi, basenamesRegistrarAbi],
  "controller 1": [controllerCostAbi],
  "controller 2": [controllerCostAbi],
  "controller 3": [controllerCostAbi],
  "controller 4": [controllerPremiumAbi],
  "controller 5": [controllerReferrerAbi],
  "controller 6": [basenamesControllerAbi],
  "controller 7": [lineanamesControllerAbi],
  "renewal-referrer": [renewalReferrerAbi],
  wrapper: [nameWrapperAbi],
  resolver: [resolverAbi, listedResolverAbi],
  "reverse-registrar 3": [reverseRegistrarAbi],
  "reverse-registrar 4": [basenamesReverseRegistrarAbi],
  "reverse-resolver": [listedResolverAbi],
  "default-reverse-registrar": [defaultReverseRegistrarAbi],
  "l2-reverse-registrar": [nameForAddrAbi],
  "agent-adapter": [agentAdapterAbi],
  "dns-token": [dnsTokenAbi],
  "price-feed": [priceFeedAbi],
  "dns-registrar": [dnsRegistrarAbi],
  "subdomain-registrar": [subdomainRegistrarAbi],
  "short-name-claims": [shortNameClaimsAbi],
};

/** Whether the index has a row for each log like this one of a contract. */
export function isFollowed(entry: { role: Role; generation: number }, log: CachedLog): boolean {
  const own = followed[`${entry.role} ${entry.generation}`] ?? followed[entry.role] ?? [];
  return own.flatMap(eventsOf).some((event) => toEventSelector(event) === log.topics[0]) && isReadable(log);
}

/** The name of a log's event; null if the index follows no such event. */
export const eventTypeOf = ({ topics }: CachedLog): string | null =>
  eventsBySelector.get(topics[0] as Hex)?.[0]?.name ?? null;

type Args = Record<string, unknown>;

/** Null for a log that cannot be decoded. Several events differ only in which arguments are indexed. */
function argsOf({ topics: padded, data }: CachedLog): Args | null {
  const topics = padded.filter((topic) => topic !== null) as [Hex, ...Hex[]];
  const indexed = (event: AbiEvent) => event.inputs.filter((one) => one.indexed).length;
  const event = eventsBySelector.get(topics[0])?.find((one) => indexed(one) === topics.length - 1);
  if (event === undefined) return null;
  try {
    return (decodeEventLog({ abi: [event], topics, data: data as Hex }).args ?? {}) as Args;
  } catch {
    return null;
  }
}

const isReadable = (log: CachedLog): boolean => argsOf(log) !== null;

/**
 * The node that the row of a log has, by the family of its contract; undefined where no simple rule says it: for auctions,
 * agents and ENSv2.
 */
export function nodeOfLog(log: CachedLog, { chainId, contract }: { chainId: number; contract: string }) {
  const { node, label, labelhash = label, labelHash = labelhash, tokenId, id = tokenId } = argsOf(log) ?? {};
  switch (contract) {
    case "REGISTRY":
    case "REGISTRY_OLD":
    case "REGISTRAR_DNS":
      return eventTypeOf(log) === "NewOwner"
        ? childNode(node as Hex, label as Hex)
        : (node as Hex | undefined);
    case "RESOLVER":
    case "DNS_REGISTRAR":
    case "REVERSE_REGISTRAR":
      return node as Hex | undefined;
    case "NAME_WRAPPER":
      return id === undefined ? (node as Hex | undefined) : hashOfTokenId(id as bigint);
    case "REGISTRAR":
    case "REGISTRAR_OLD":
      return id === undefined ? undefined : childNode(registrarNode(chainId), hashOfTokenId(id as bigint));
    case "CONTROLLER":
    case "RENEWAL_REFERRER":
      return labelHash === undefined ? undefined : childNode(registrarNode(chainId), labelHash as Hex);
    default:
      return undefined;
  }
}
