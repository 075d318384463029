import type { Condition } from "../../../ens/condition.ts";
import { assuming } from "./assumeFalse.ts";

const withoutLayer2 = assuming(({ column }) => column === "chainId");

/**
 * What is left of a rule for names of the main chain: its comparisons with the ids of layer 2s are all false there. So
 * where the main chain alone is asked, a statement says nothing of other chains.
 */
export const onMainChain = <Column extends string>(rule: Condition<Column>): Condition<Column> =>
  withoutLayer2(rule) as Condition<Column>;
