import type { Address } from "viem";
import { nodeOfNameByNode } from "../../../ens/name.ts";
import type { ApiError } from "../../server/errors/errors.ts";
import type { DomainState } from "../resolution/domainState.ts";
import type { DomainResult } from "../resolution/resolveDomains.ts";
import type { resolutionWords } from "../schemas/answers.ts";
import type { ParsedName, ParsedNode } from "../schemas/input.ts";

/** Whether a name resolves, and if not, why. */
export type Resolution = (typeof resolutionWords)[number];

/** A state, its source, and what the chain added. */
export type Resolved<State> = {
  state: State;
  source: "indexed" | "live";
  /** How much of the name is known. */
  kind: DomainResult["kind"];
  /** Why not everything is known. */
  error?: ApiError;
  /** The resolver through which the chain answered. */
  records?: { answeredBy: Address | null };
};

/** Undefined if only the chain knows, and it did not answer. */
export function resolutionOf(
  parsed: ParsedNode | ParsedName,
  { kind, source, state, records }: Resolved<DomainState | null>,
  now: number,
): Resolution | undefined {
  if (kind === "unresolved" || kind === "resolverNotAsked") return undefined;
  if (source === "live") {
    if (records?.answeredBy) return "resolves";
    return state?.resolver ? "no_answer" : reasonOf(state, now);
  }
  if (kind === "unregistered") return "not_registered";
  if (state === null) return isNameGiven(parsed) ? "no_resolver" : undefined;
  return hasResolver(state) ? "resolves" : reasonOf(state, now);
}

/** Looking for a resolver above a name requires the name's text. */
const isNameGiven = (parsed: ParsedNode | ParsedName): boolean =>
  "name" in parsed && nodeOfNameByNode(parsed.name) === null;

/** True if an indexed name has a resolver that answers for it. A record's number means that a resolver above answers, too. */
function hasResolver({ resolver, ensv2 }: DomainState): boolean {
  switch (ensv2?.records.kind) {
    case "byNumber":
      return true;
    case "nowhere":
      return false;
    default:
      return resolver !== null;
  }
}

/** Why no resolver answers. If ENSv2 decides, the registry walk gives the reason. */
function reasonOf(state: DomainState | null, now: number): Resolution {
  const ensv2 = state?.ensv2;
  if (ensv2 === undefined) return "no_resolver";
  const { protocol, records, walk } = ensv2;
  if (records.kind === "nowhere") return walk.hasExpired ? "expired_parent" : "no_live_entry";
  if (protocol === "ensv1") return "no_resolver";
  if (walk.hasExpired) return "expired_parent";
  if (walk.entry === null) return walk.isKnown ? "no_live_entry" : "no_resolver";
  return walk.entry.expiry <= BigInt(now) ? "expired" : "no_resolver";
}
