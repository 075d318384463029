import { digits } from "./kinds.ts";
import { type ValuesOf, withDefault } from "./variable.ts";

/** What the API stores in memory to answer sooner. */
export type AnswerSettings = {
  /** Bytes of answers to questions that many ask; 0 keeps none. */
  hotAnswerBytes: number;
};

const MIB = 1_048_576;

export const answerVariables = {
  HOT_ANSWERS_MB: withDefault(16, digits({ from: 0, to: 4_096, unit: "MiB" }), {
    example: "64",
    meaning:
      "Memory per process for caching answers to repeated requests. An answer is reused within the same second while the index stays at the same block. `0` disables the cache.",
  }),
};

export const toAnswerSettings = (known: ValuesOf<typeof answerVariables>): AnswerSettings => ({
  hotAnswerBytes: known.HOT_ANSWERS_MB * MIB,
});
