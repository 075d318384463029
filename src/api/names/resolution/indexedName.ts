import type { Hex } from "viem";
import type { ParsedName, ParsedNode } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";

/** A name or node that a caller asks for. */
export type Requested = ParsedName | ParsedNode;

/** A name that the index can say something about. */
export type IndexedName = {
  state: DomainState;
  /** False if no indexed registry ever had it: only an ENSv2 resolver above it, or a registry of unknown code, may answer. */
  isInRegistry: boolean;
};

/** Indexed names by node. */
export type IndexedNames = ReadonlyMap<Hex, IndexedName>;

/** Replaces the states of names. */
export const withStates = (names: IndexedNames, change: (state: DomainState) => DomainState): IndexedNames =>
  new Map([...names].map(([node, name]) => [node, { ...name, state: change(name.state) }]));
