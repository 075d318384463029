import type { Hex } from "viem";
import type { ParsedName, ParsedNode } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";

/** A requested name or node. */
export type Requested = ParsedName | ParsedNode;

/** A name about which the index has information. */
export type IndexedName = {
  state: DomainState;
  /**
   * False if no indexed registry ever had it: only an ENSv2 resolver above it, or a registry with an unknown implementation, may
   * answer.
   */
  isInRegistry: boolean;
};

/** Indexed names by node. */
export type IndexedNames = ReadonlyMap<Hex, IndexedName>;

/** Replaces the states of names. */
export const withStates = (names: IndexedNames, change: (state: DomainState) => DomainState): IndexedNames =>
  new Map([...names].map(([node, name]) => [node, { ...name, state: change(name.state) }]));
