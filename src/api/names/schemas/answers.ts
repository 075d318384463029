/*
 * Schemas of the answers. Every object is strict: in tests, which parse the replies, a field that is not declared fails.
 * At run time HTTP replies are not parsed, so that this costs nothing.
 */

export * from "./answers/activityAnswer.ts";
export * from "./answers/change.ts";
export * from "./answers/contractsAnswer.ts";
export * from "./answers/domainAnswer.ts";
export * from "./answers/ensv2Answer.ts";
export * from "./answers/eventAnswer.ts";
export * from "./answers/historyAnswer.ts";
export * from "./answers/lookupAnswer.ts";
export * from "./answers/pageAnswer.ts";
export * from "./answers/paymentAnswer.ts";
export * from "./answers/permissionsAnswer.ts";
export * from "./answers/priceAnswer.ts";
export * from "./answers/primaryNameAnswer.ts";
export * from "./answers/recordsAnswer.ts";
export * from "./answers/valuesAnswer.ts";
export * from "./answers/verifyAnswer.ts";
