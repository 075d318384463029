import type { Address, Hex } from "viem";
import type { MigrationOwners, RoleHolder } from "../../query/ensv2.ts";
import type { Protocol } from "../../rules/ensv2Protocol.ts";
import type { Walk } from "./walk.ts";

/** What ENSv2 says of a name. */
export type Ensv2State = {
  protocol: Protocol;
  /** The name's way from the root registry. */
  walk: Walk;
  records: RecordsSource;
  /** The token as the chain told it; null if it is burnt. */
  liveTokenId?: bigint | null;
  /** What a domain record shows besides; read for these alone. */
  details?: Ensv2Details;
};

/** Who tells the records of a name. */
export type RecordsSource =
  /** The rules for names of ENSv1. */
  | { kind: "ensv1" }
  /** The index, under the name's node at its resolver; a name without resolver has none. */
  | { kind: "byNode" }
  /** The index, under the number that a resolver of ENSv2 has for the name; null if it has none. */
  | { kind: "byNumber"; resolver: Address; record: Hex | null }
  /** None: the resolver that ENSv1 has no longer counts, and the way through ENSv2 leads to none. */
  | { kind: "nowhere" }
  /** Only the chain. */
  | { kind: "chain" };

/** Who may do what with a name, and how it came from ENSv1. */
export type Ensv2Details = {
  /** Absent where they were not asked for. */
  holders?: readonly RoleHolder[];
  migration: (MigrationOwners & { blockNumber: number; timestamp: number; transactionHash: Hex }) | null;
};
