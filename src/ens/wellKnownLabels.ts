import type { Hex } from "viem";
import { labelhash } from "./name.ts";

/**
 * Labels that no event spells out but that are well known: those of ENS itself, and the DNS top-level domains from
 * which most names were imported into ENS.
 */
const words =
  "eth reverse addr resolver default test xyz luxe kred club art com net org io app dev co me id ai cc tv gg so to fm " +
  "us uk de ch fr jp cn kr in eu ca au br nl se no fi es it pl ru info biz online shop store site tech space world " +
  "cash money finance fund bank box ceo blog page link live network digital cloud games zone wtf lol fun pro social " +
  "limo id name email design studio capital ventures exchange market team tools news media today one";

/** Text by labelhash. */
export const wellKnownLabels: ReadonlyMap<Hex, string> = new Map(
  words.split(" ").map((word) => [labelhash(word), word]),
);
