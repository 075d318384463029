import { BaseError } from "viem";

/** Whether values are at fault: by our code, by viem's, or by PostgreSQL (its classes 22 and 54). Each attempt fails alike. */
export const isOfValues = (error: unknown): error is Error =>
  [TypeError, RangeError, SyntaxError, BaseError].some((type) => error instanceof type) ||
  (error instanceof Error && /^(22|54)/.test(String((error as { code?: unknown }).code)));
