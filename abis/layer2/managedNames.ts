import { type Hex, namehash } from "viem";
import type { Layer2, Layer2Names } from "./descriptor.ts";
import { layer2s } from "./list.ts";

/** A name whose subnames a layer 2 keeps. */
export type ManagedName = {
  name: string;
  node: Hex;
  chainId: number;
  /** Whether a registrar keeps the subnames, or they are tokens of 3DNS, each with its expiry and without a time of grace. */
  keeper: Layer2Names["keeper"];
  /** Whether the price of a name that expired begins with a premium. */
  hasPremium: boolean;
};

function listManagedName({ chainId, names }: Layer2): ManagedName[] {
  if (names === undefined) return [];
  const hasPremium = names.keeper === "registrar" && names.hasPremium;
  return [{ name: names.parent, node: namehash(names.parent), chainId, keeper: names.keeper, hasPremium }];
}

/** What people call the names of registrars of layer 2s that have no premium. */
export const calledWithoutPremium: readonly string[] = [
  ...new Set(
    layer2s.flatMap(({ names }) => (names?.keeper === "registrar" && !names.hasPremium ? names.called : [])),
  ),
];

/** The managed names of all layer 2s that the program knows. */
export const managedNames: readonly ManagedName[] = layer2s.flatMap(listManagedName);

const byChain: ReadonlyMap<number, ManagedName> = new Map(managedNames.map((one) => [one.chainId, one]));

/** The name that a layer 2 keeps the subnames of; undefined for every other chain. */
export const managedNameOf = (chainId: number): ManagedName | undefined => byChain.get(chainId);
