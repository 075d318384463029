import { type Hex, keccak256, stringToBytes, zeroHash } from "viem";
import type { Judge } from "./judge.ts";
import { fullNamer, hiddenLabel, hiddenName } from "./names.ts";
import type { Present } from "./present.ts";

/** A name as in lists: its current state, its text, and its holder in each layer. */
export type NameNow = Present & {
  node: Hex;
  parent: Hex | null;
  label: string;
  labelhash: Hex | null;
  /** Code points of the label; null if no log spells it out. */
  length: number | null;
  fullName: string;
  registryOwner: string | null;
  registrarOwner: string | null;
  wrapperOwner: string | null;
  resolver: string | null;
};

/** Well-known labels that histories use although no log spells them out. */
const known = new Map(
  ["eth", "reverse", "addr", "resolver", "default", "test", "xyz", "com", "org", "net"].map((label) => [
    keccak256(stringToBytes(label)),
    label,
  ]),
);

/** Every name but the root, by its node. */
export function listNamesNow({ ledgers, present, revealed }: Judge): Map<Hex, NameNow> {
  const labelOf = (hash: Hex) => revealed.get(hash) ?? known.get(hash) ?? null;
  const fullNameOf = fullNamer((node) => ledgers.get(node)?.position ?? null, labelOf);
  const names = new Map<Hex, NameNow>();
  for (const [node, state] of present) {
    if (node === zeroHash) continue;
    const ledger = ledgers.get(node);
    const position = ledger?.position ?? null;
    const label = position && labelOf(position.labelhash);
    const owners = ledger?.owners.at(-1)?.state;
    names.set(node, {
      ...state,
      node,
      parent: position?.parent ?? null,
      label: label ?? (position ? hiddenLabel(position.labelhash) : hiddenName(node)),
      labelhash: position?.labelhash ?? null,
      length: label === null ? null : [...label].length,
      fullName: fullNameOf(node),
      registryOwner: owners?.registry ?? null,
      registrarOwner: owners?.registrar ?? null,
      wrapperOwner: state.isWrapped ? (owners?.wrapper ?? null) : null,
      resolver: ledger?.resolvers.at(-1)?.state ?? null,
    });
  }
  return names;
}
