import type { Address, Hex } from "viem";
import type { MigrationOwners, RoleHolder } from "../../query/ensv2.ts";
import type { Protocol } from "../../rules/ensv2Protocol.ts";
import type { Walk } from "./walk.ts";

/** The ENSv2 state of a name. */
export type Ensv2State = {
  protocol: Protocol;
  /** The name's path from the root registry. */
  walk: Walk;
  records: RecordsSource;
  /** The token as returned by the chain; null if it is burnt. */
  liveTokenId?: bigint | null;
  /** The additional parts that domain records show. Read only for these. */
  details?: Ensv2Details;
};

/** The source of a name's records. */
export type RecordsSource =
  /** The rules for ENSv1 names apply. */
  | { kind: "ensv1" }
  /** The index, by the name's node at its resolver. A name without a resolver has no records. */
  | { kind: "byNode" }
  /** The index, by the number that an ENSv2 resolver links to the name; null if there is none. */
  | { kind: "byNumber"; resolver: Address; record: Hex | null }
  /** None: the ENSv1 resolver no longer counts, and the path through ENSv2 leads to no resolver. */
  | { kind: "nowhere" }
  /** Only the chain. */
  | { kind: "chain" };

/** A name's role holders, and its migration from ENSv1. */
export type Ensv2Details = {
  /** Absent if not requested. */
  holders?: readonly RoleHolder[];
  migration: (MigrationOwners & { blockNumber: number; blockTimestamp: number; transactionHash: Hex }) | null;
};
