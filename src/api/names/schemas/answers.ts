/*
 * Schemas of the answers. Every object is strict: in tests, which parse the replies, a field that is not declared fails.
 * At run time HTTP replies are not parsed, so that this costs nothing.
 */

export * from "./answers/activity.ts";
export * from "./answers/change.ts";
export * from "./answers/contracts.ts";
export * from "./answers/domain.ts";
export * from "./answers/ensv2.ts";
export * from "./answers/event.ts";
export * from "./answers/history.ts";
export * from "./answers/lookup.ts";
export * from "./answers/page.ts";
export * from "./answers/payment.ts";
export * from "./answers/permissions.ts";
export * from "./answers/price.ts";
export * from "./answers/primaryName.ts";
export * from "./answers/records.ts";
export * from "./answers/values.ts";
export * from "./answers/verify.ts";
