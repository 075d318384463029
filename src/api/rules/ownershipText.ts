import { toRowText } from "./conditionText.ts";
import { lapsed } from "./ownership.ts";

/** Effective owner of a row `d` of `domains` at `now`, as text: a lapsed name falls to the registrar's owner, or to the registry's. */
export const ownerText = (now: string): string =>
  `case when ${toRowText(lapsed, now)} then coalesce(d.registrar_owner, d.registry_owner) else d.effective_owner_address end`;
