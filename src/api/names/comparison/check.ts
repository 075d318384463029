import type { Hex } from "viem";
import { textOfBytes } from "../../../ens/utf8.ts";
import { AbiError, readAbi } from "../live/liveAbi.ts";
import { addressInWord, type CallAnswer, type ContractCall } from "../live/multicall.ts";

/** Why a value of the index cannot be compared with the chain's. */
export class NotComparable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** One value of the index, and the calls that tell what the chain says of it. */
export type Check = {
  table: string;
  column: string;
  /** Why it was chosen, in a few words. */
  kind: string;
  /** Name, address or node that it belongs to, and more where that has several values of the sort. */
  of: string;
  stored: string | null;
  /** Without any, the row itself decides. */
  calls: ContractCall[];
  read: (answers: readonly CallAnswer[]) => string | null | NotComparable;
  /** Path of the API that shows the value. */
  path: string;
};

/** The part of a check for one column; without calls if the row itself decides. */
export type Column = Pick<Check, "column" | "stored" | "read"> & { calls?: ContractCall[] };

type Stored = string | null;
type Value = string | null | NotComparable;

/** A column that the answer of one call shows. */
export const readColumn = (
  column: string,
  stored: Stored,
  { call, read }: { call: ContractCall; read: (answer: CallAnswer | undefined) => Value },
): Column => ({ column, stored, calls: [call], read: ([answer]) => read(answer) });

/** A column whose value follows from others of its row, or cannot be compared. */
export const fixedColumn = (column: string, stored: Stored, value: Value): Column => ({
  column,
  stored,
  read: () => value,
});

/** What a call answered, or null where it failed or answered nothing: some generations of a contract lack a function. */
export const dataOf = (answer: CallAnswer | undefined): Hex | null =>
  answer?.success && answer.returnData !== "0x" ? answer.returnData : null;

const UNREADABLE = new NotComparable("the contract's answer cannot be read");

/** The bytes of an answer; null for none. */
export function bytesIn(answer: CallAnswer | undefined): Hex | null | NotComparable {
  const data = dataOf(answer);
  if (data === null) return null;
  try {
    const [bytes] = readAbi(["bytes"], data);
    return bytes === "0x" ? null : bytes;
  } catch (error) {
    if (error instanceof AbiError) return UNREADABLE;
    throw error;
  }
}

/** The text of an answer; null for an empty one. */
export function textIn(answer: CallAnswer | undefined): string | null | NotComparable {
  const bytes = bytesIn(answer);
  return typeof bytes === "string" ? textOfBytes(bytes) : bytes;
}

/** The address in a word; null for the zero address. */
export function addressIn(answer: CallAnswer | undefined): string | null | NotComparable {
  const data = dataOf(answer);
  return data?.length === 66 ? addressInWord(data) : UNREADABLE;
}
