import { all, any, type Condition, equals, holds, isTrue, not } from "../../../ens/condition.ts";
import { managedNames, tokenNames } from "../../../ens/managedNames.ts";
import { isEnsv2 } from "./nameRules.ts";
import { wrapped } from "./ownership.ts";

/** The contracts that control a name. Lists are filtered by these words, and items show which of them apply. */

type Column = "chainId" | "registry" | "isMigrated" | "isWrapped" | "wrapperFuses" | "wrapperExpiryTimestamp";

/** The columns that determine a name's contracts. */
export type ProtocolRow = Readonly<Record<Column, string | number | bigint | boolean | null>>;

const isOfLayer2 = any<Column>(
  ...[...managedNames, ...tokenNames].map(({ chainId }) => equals("chainId", chainId)),
);

const isOfRegistry = all<Column>(not<Column>(isEnsv2), not(isOfLayer2));

/**
 * - `ensv1`: every name that no ENSv2 registry controls.
 * - `registry`, `registry_old`: `ensv1` names in the main chain's registry of 2020, and those only in the one of 2017.
 * - `wrapper`: wrapped, and the wrapper's token has not lapsed.
 * - `layer2`: a Basename, a Lineaname or a 3DNS name.
 */
const rules = {
  ensv1: not<Column>(isEnsv2),
  ensv2: isEnsv2,
  registry: all<Column>(isOfRegistry, isTrue("isMigrated")),
  registry_old: all<Column>(isOfRegistry, not(isTrue("isMigrated"))),
  wrapper: wrapped,
  layer2: isOfLayer2,
} satisfies Record<string, Condition<Column>>;

export type ProtocolWord = keyof typeof rules;

export const protocolWords = Object.keys(rules) as [ProtocolWord, ...ProtocolWord[]];

/** Rule: one of these contracts controls the name. */
export const isOfProtocols = (words: readonly ProtocolWord[]): Condition<Column> =>
  any<Column>(...words.map((word) => rules[word]));

/** The words that apply to a name. */
export const protocolsOf = (row: ProtocolRow, now: number): ProtocolWord[] =>
  protocolWords.filter((word) => holds<Column>(rules[word], row, BigInt(now)));
