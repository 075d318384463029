import type { Contracts } from "../../../../abis/contracts.ts";
import { ROOT_NODE } from "../../../ens/name.ts";
import { isTokenUnknown } from "../rules/ownership.ts";
import { isEthSecondLevel } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import type { Requested } from "./indexedName.ts";
import type { NameFacts, ResolversAbove } from "./nameFacts.ts";

/** The source that can answer for a name. */
export type Decision =
  /** The index has everything. */
  | { kind: "indexed"; state: DomainState }
  /** The index has the registries' state at its newest block. Only the chain knows what a resolver returns. */
  | { kind: "chainForResolver"; state: DomainState }
  /** Only the chain can answer. */
  | { kind: "chain" }
  | { kind: Absence };

/** Why nothing is known about a name: its registrar does not have it, or nothing mentions it. */
export type Absence = "unregistered" | "absent";

/** The parts of a deployment that decide the source. */
type Rules = Pick<Contracts, "managed" | "isIndexedResolver">;

/** Decides whether the index or the chain can answer. */
export function decide({ requested, indexed, resolversAbove }: NameFacts, contracts: Rules): Decision {
  if (indexed === null) return decideAbsent({ requested, resolversAbove }, contracts);
  const { isInRegistry, state } = indexed;
  if (isTokenUnknown(state)) return { kind: "chain" };
  if (needsChain(state, contracts)) {
    const hasKnownRegistry = isInRegistry && state.ensv2?.walk.isKnown !== false;
    return hasKnownRegistry ? { kind: "chainForResolver", state } : { kind: "chain" };
  }
  // An ENSv2 resolver above a name answers for all names below it, including those in no registry.
  const isKnown = isInRegistry || state.ensv2?.walk.resolver?.isKnown === true;
  return isKnown ? { kind: "indexed", state } : { kind: absenceOf(state) };
}

/** A second-level .eth name without any record was never registered. */
export const absenceOf = (name: Requested | DomainState): Absence =>
  "parentNode" in name && isEthSecondLevel(name) ? "unregistered" : "absent";

/**
 * The index knows whether a .eth name was ever registered, and which ancestors of any name have a resolver. An unknown node
 * cannot be resolved, because its name is unknown.
 */
function decideAbsent(
  { requested, resolversAbove }: Pick<NameFacts, "requested" | "resolversAbove">,
  contracts: Rules,
): Decision {
  if (!("name" in requested)) return { kind: "absent" };
  if (isEthSecondLevel(requested)) return { kind: "unregistered" };
  // The registrar of a layer 2 has the direct subnames of a managed name whose resolver forwards to that layer 2. 3DNS tokens are
  // also on another chain, so the index cannot know all of them.
  const managed = contracts.managed.find(
    ({ node, keeper }) => node === requested.parentNode && keeper === "registrar",
  );
  const [resolver = null] = resolversAbove;
  if (resolver !== null && managed?.bridges.includes(resolver)) return { kind: "unregistered" };
  return { kind: mayResolverAboveAnswer(resolversAbove, contracts) ? "chain" : "absent" };
}

/** True if only the chain knows what resolvers return. The root cannot be resolved. */
function needsChain(state: DomainState, contracts: Rules): boolean {
  if (state.node === ROOT_NODE) return false;
  const source = recordSource(state, contracts);
  return source === "resolverAbove" ? isRegistered(state, state) : source === "chain";
}

/** A .eth name that was never registered does not resolve through .eth. */
export const isRegistered = (
  name: Pick<DomainState, "parentNode">,
  state: Pick<DomainState, "expiryTimestamp"> | null,
): boolean => !isEthSecondLevel(name) || (state?.expiryTimestamp ?? null) !== null;

/** The source of a name's records. If the name has no resolver, one above it may answer. */
export function recordSource(
  state: DomainState | null,
  { isIndexedResolver }: Pick<Rules, "isIndexedResolver">,
): "index" | "chain" | "resolverAbove" {
  const records = state?.ensv2?.records.kind ?? "ensv1";
  if (records !== "ensv1") return records === "chain" ? "chain" : "index";
  if (!state?.resolver) return "resolverAbove";
  return isIndexedResolver(state.resolver, state.chainId) ? "index" : "chain";
}

/**
 * True if a name without a resolver may resolve through an ancestor's (ENSIP-10). The nearest ancestor with a resolver decides;
 * an indexed resolver answers only for names whose records it stores.
 */
export function mayResolverAboveAnswer(
  resolvers: ResolversAbove,
  { isIndexedResolver }: Pick<Rules, "isIndexedResolver">,
): boolean {
  const nearest = resolvers.find((resolver) => resolver !== null) ?? null;
  return nearest !== null && !isIndexedResolver(nearest);
}
