import { toRowText } from "./conditionText.ts";
import { lapsed, unexplained } from "./ownership.ts";

/**
 * Effective owner of a row `d` of `domains` at `now`, as text: a lapsed name falls to the registrar's owner, or to the
 * registry's. Null where it is not known whether it lapsed.
 */
export const ownerText = (now: string): string =>
  `case when not ${toRowText(lapsed, now)} then d.effective_owner_address
    when not ${toRowText(unexplained, now)} then coalesce(d.registrar_owner, d.registry_owner) end`;
