import type { z } from "zod";
import type { Answered } from "../comparison/askContracts.ts";
import { NotComparable } from "../comparison/check.ts";
import type { ComparedName } from "../comparison/compareName.ts";
import { MAX_SHOWN } from "../rules/shown.ts";
import type * as schemas from "../schemas/answers.ts";
import { cutText, truncatedOf } from "./cut.ts";

type Field = z.infer<typeof schemas.comparedField>;

/** Characters of a difference's call that an answer shows; the call is long if its key is. */
const MAX_CALL = 2_048;

/** The beginning of a text that can be a megabyte long. Counting all of it would take long. */
const beginningOf = (text: string) => cutText(text.slice(0, 4 * MAX_SHOWN));

/** An indexed value next to the chain's. */
function toComparedField({ check, chain }: Answered): Field {
  const { table, column, stored, calls } = check;
  const index = stored === null ? null : beginningOf(stored);
  const of = beginningOf(check.of);
  const place = { table, column, of: of.shown };
  if (chain instanceof NotComparable) {
    const values = { index: index?.shown ?? null, why: chain.why };
    return { ...place, status: "not_compared", ...values, ...truncatedOf({ of, index }) };
  }
  const onChain = chain === null ? null : beginningOf(chain);
  const isShown = chain !== stored && calls.every(({ callData }) => callData.length <= MAX_CALL);
  return {
    ...place,
    status: chain === stored ? "equal" : "different",
    index: index?.shown ?? null,
    chain: onChain?.shown ?? null,
    ...(isShown && { calls: calls.map(({ target, callData }) => ({ to: target, data: callData })) }),
    ...truncatedOf({ of, index, chain: onChain }),
  };
}

/** The block, the fields, and the number of fields by status. */
export function toVerification({ block, answers }: Pick<ComparedName, "block" | "answers">) {
  const fields = answers.map(toComparedField);
  const countOf = (status: Field["status"]) => fields.filter((field) => field.status === status).length;
  const [equal, differences, not_compared] = [
    countOf("equal"),
    countOf("different"),
    countOf("not_compared"),
  ];
  const status: Field["status"] = differences > 0 ? "different" : equal > 0 ? "equal" : "not_compared";
  return {
    block_number: block.number,
    block_hash: block.hash,
    block_timestamp: block.timestamp,
    status,
    compared: equal + differences,
    differences,
    not_compared,
    fields,
  };
}
