import type { Context } from "ponder:registry";
import { domain, label } from "ponder:schema";
import type { Hex } from "viem";
import { managedNames, tokenNames } from "../../ens/managedNames.ts";
import {
  ADDR_REVERSE_NODE,
  codePoints,
  ETH_NODE,
  joinName,
  nameByNode,
  ROOT_NODE,
  unknownLabel,
} from "../../ens/name.ts";
import { wellKnownLabels } from "../../ens/wellKnownLabels.ts";

/** The columns of `domains` for a name; a label that becomes known later changes them. */
export type Naming = Pick<
  typeof domain.$inferSelect,
  "label" | "isLabelKnown" | "labelLength" | "fullName" | "isNameKnown"
>;

/** Where a domain stands: its node, which follows from the node of its parent and the hash of its label. */
export type Place = { chainId: number; node: Hex; parentNode: Hex; labelhash: Hex };

const wellKnown = (fullName: string): Naming => {
  const [label = ""] = fullName.split(".");
  return { label, isLabelKnown: true, labelLength: label.length, fullName, isNameKnown: true };
};

/** The parents of nearly all names; their own names are known from the start. */
const namedParents: ReadonlyMap<Hex, Naming> = new Map([
  [ETH_NODE, wellKnown("eth")],
  [ADDR_REVERSE_NODE, wellKnown("addr.reverse")],
]);

/** The same on each layer 2 with names, by chain id: it has no row for the name above them. */
const namedParentsOfLayer2: ReadonlyMap<number, ReadonlyMap<Hex, Naming>> = new Map(
  [...managedNames, ...tokenNames].map(({ chainId, node, name }) => [
    chainId,
    new Map([[node, wellKnown(name)]]),
  ]),
);

const namedParentOf = ({ chainId, parentNode }: Pick<Place, "chainId" | "parentNode">): Naming | undefined =>
  (namedParentsOfLayer2.get(chainId) ?? namedParents).get(parentNode);

/** Naming of the root, and of a node whose parent no event has told: it is written by its node. */
export const namingWithoutParent = (node: Hex): Naming =>
  node === ROOT_NODE
    ? { label: "", isLabelKnown: true, labelLength: 0, fullName: "", isNameKnown: true }
    : {
        label: nameByNode(node),
        isLabelKnown: false,
        labelLength: null,
        fullName: nameByNode(node),
        isNameKnown: false,
      };

/** Naming below one of the well-known parents while the label is unknown; undefined for other parents. */
export function namingBelow(place: Place): Naming | undefined {
  const parent = namedParentOf(place);
  return parent && namingOf(place.node, { known: null, labelhash: place.labelhash, parent });
}

/** Naming of a domain by the text of its label, null if unknown, and the name that its parent has now. */
export async function namingAt(context: Context, place: Place, known: string | null): Promise<Naming> {
  const parent = await findParentNaming(context, place);
  return namingOf(place.node, { known, labelhash: place.labelhash, parent });
}

/** The text of a label; null if the chain's tables do not have it. */
export const findLabel = async (context: Context, labelhash: Hex): Promise<string | null> =>
  wellKnownLabels.get(labelhash) ??
  (await context.db.find(label, { chainId: context.chain.id, labelhash }))?.label ??
  null;

/** The naming that a domain's parent has now. */
export async function findParentNaming(
  context: Context,
  { chainId, parentNode }: Pick<Place, "chainId" | "parentNode">,
): Promise<Naming> {
  if (parentNode === ROOT_NODE) return namingWithoutParent(ROOT_NODE);
  const named = namedParentOf({ chainId, parentNode });
  if (named !== undefined) return named;
  const row = await context.db.find(domain, { chainId, node: parentNode });
  return row ?? namingWithoutParent(parentNode);
}

type Parts = { known: string | null; labelhash: Hex; parent: Naming };

export function namingOf(node: Hex, { known, labelhash, parent }: Parts): Naming {
  const text = known ?? unknownLabel(labelhash);
  return {
    label: text,
    isLabelKnown: known !== null,
    labelLength: known === null ? null : codePoints(known),
    fullName: joinName(node, text, parent.fullName),
    isNameKnown: known !== null && parent.isNameKnown,
  };
}
