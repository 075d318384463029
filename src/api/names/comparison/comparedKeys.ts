import type { Address, Hex } from "viem";

/** What a record is of, at a resolver that answers what its events said. */
export type RecordKey = { resolver: Address; node: Hex; kind: string } & (
  | { what: "address"; coinType: string }
  /** One of the two is known: the key's text, or its hash. */
  | { what: "text"; key: string | null; keyHash: Hex | null }
  | { what: "contenthash" | "name" | "version" }
);

/** An address and the coin type for which it claims a name. */
export type Claim = { address: Address; coinType: number; chainId: number; kind: string };

/** What to compare; `kind` says in a few words why it was chosen. */
export type Keys = {
  nodes: { node: Hex; kind: string }[];
  records: RecordKey[];
  claims: Claim[];
};
