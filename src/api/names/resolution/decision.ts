import type { Contracts } from "../../../../abis/contracts.ts";
import { ROOT_NODE } from "../../../ens/name.ts";
import { isTokenUnknown } from "../rules/ownership.ts";
import { isEthSecondLevel } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import type { Requested } from "./found.ts";
import type { Known, ResolversAbove } from "./known.ts";

/** Who can answer for a name. */
export type Outcome =
  /** The index: everything. */
  | { kind: "indexed"; state: DomainState }
  /** The index has what registries say at its newest block; what a resolver says, only the chain can tell. */
  | { kind: "chainForResolver"; state: DomainState }
  /** Only the chain. */
  | { kind: "chain" }
  | { kind: Absence };

/** Why nothing is known of a name: no registrar has it, though it would be there; or nothing tells of it. */
export type Absence = "unregistered" | "absent";

/** What decides it of a deployment. */
type Rules = Pick<Contracts, "managed" | "isIndexedResolver">;

/** Decides whether the index or the chain can tell. */
export function decide({ requested, found, resolversAbove }: Known, contracts: Rules): Outcome {
  if (found === null) return decideAbsent({ requested, resolversAbove }, contracts);
  const { kind, state } = found;
  if (isTokenUnknown(state)) return { kind: "chain" };
  if (needsChain(state, contracts)) {
    const hasRegistry = kind === "stored" && state.ensv2?.walk.isKnown !== false;
    return hasRegistry ? { kind: "chainForResolver", state } : { kind: "chain" };
  }
  // A name that no registry has is known by a resolver of ENSv2 above it, which answers for all names there.
  const isTold = kind === "stored" || state.ensv2?.walk.resolver?.isKnown === true;
  return isTold ? { kind: "indexed", state } : { kind: absenceOf(state) };
}

/** A name right under .eth of which nothing is known was never registered. */
export const absenceOf = (name: Requested | DomainState): Absence =>
  "parentNode" in name && isEthSecondLevel(name) ? "unregistered" : "absent";

/**
 * The index knows of every .eth name whether it was registered, and of every name which ancestors have a resolver. A node
 * that the index does not have cannot be resolved: its name is not known.
 */
function decideAbsent(
  { requested, resolversAbove }: Pick<Known, "requested" | "resolversAbove">,
  contracts: Rules,
): Outcome {
  if (!("name" in requested)) return { kind: "absent" };
  if (isEthSecondLevel(requested)) return { kind: "unregistered" };
  // The registrar of a layer 2 has the names right under a managed name whose resolver asks that layer 2. Tokens of 3DNS
  // are on another chain, too, so of these the index does not know.
  const managed = contracts.managed.find(
    ({ node, keeper }) => node === requested.parentNode && keeper === "registrar",
  );
  const [resolver = null] = resolversAbove;
  if (resolver !== null && managed?.bridges.includes(resolver)) return { kind: "unregistered" };
  return { kind: mayResolverAboveAnswer(resolversAbove, contracts) ? "chain" : "absent" };
}

/** Whether only the chain can tell what resolvers say. The root cannot be resolved. */
function needsChain(state: DomainState, contracts: Rules): boolean {
  if (state.node === ROOT_NODE) return false;
  const by = whoTellsRecords(state, contracts);
  return by === "resolverAbove" ? isRegistered(state, state) : by === "chain";
}

/** A .eth name that was never registered does not resolve through .eth. */
export const isRegistered = (
  name: Pick<DomainState, "parentNode">,
  state: Pick<DomainState, "expiryTimestamp"> | null,
): boolean => !isEthSecondLevel(name) || (state?.expiryTimestamp ?? null) !== null;

/** Who tells the records of a name. Where it has no resolver, one above it may answer. */
export function whoTellsRecords(
  state: DomainState | null,
  { isIndexedResolver }: Pick<Rules, "isIndexedResolver">,
): "index" | "chain" | "resolverAbove" {
  const records = state?.ensv2?.records.kind ?? "ensv1";
  if (records !== "ensv1") return records === "chain" ? "chain" : "index";
  if (!state?.resolver) return "resolverAbove";
  return isIndexedResolver(state.resolver, state.chainId) ? "index" : "chain";
}

/**
 * Whether a name without resolver may resolve through an ancestor's (ENSIP-10). The nearest ancestor that has a resolver
 * decides; an indexed resolver answers only for names of which it holds records.
 */
export function mayResolverAboveAnswer(
  resolvers: ResolversAbove,
  { isIndexedResolver }: Pick<Rules, "isIndexedResolver">,
): boolean {
  const nearest = resolvers.find((resolver) => resolver !== null) ?? null;
  return nearest !== null && !isIndexedResolver(nearest);
}
