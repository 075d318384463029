import type { Hex } from "viem";
import type { ParsedName, ParsedNode } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";

/** A name or node that a caller asks for. */
export type Requested = ParsedName | ParsedNode;

/** What the index has of a node. */
export type Found =
  /** A registry has the name, or had it. */
  | { kind: "stored"; state: DomainState }
  /** No registry that the index knows has it: a resolver of ENSv2 above it may answer, or a registry of unknown code. */
  | { kind: "unstored"; state: DomainState };

/** What the index has, by node. Nodes of which it has nothing are left out. */
export type FoundByNode = ReadonlyMap<Hex, Found>;

/** Replaces the states of what was found. */
export const withStates = (found: FoundByNode, change: (state: DomainState) => DomainState): FoundByNode =>
  new Map([...found].map(([node, one]) => [node, { ...one, state: change(one.state) }]));
