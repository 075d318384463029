import { ApiError, errorCodes } from "../../server/errors/errors.ts";

type Words = {
  title: string;
  advice: string;
  /** True where a key of the visitor's own helps. */
  needsKey?: true;
};

/** An error as a person reads it: what happened, and what to do. */
export function inWords({ code, message, headers }: ApiError): Words {
  const again = headers["Retry-After"];
  const later = again === undefined ? "Try again in a moment." : `Try again in ${again} seconds.`;
  switch (code) {
    case "NOT_FOUND":
      return { title: "Not found", advice: message };
    case "RATE_LIMITED":
      return {
        title: "Your free requests are used up",
        advice: `Each part of a page is one request. ${later} To make more requests, use a key.`,
        needsKey: true,
      };
    case "INVALID_API_KEY":
      return { title: "Unknown key", advice: message, needsKey: true };
    case "PAYMENT_REQUIRED":
      return { title: "Your requests are used up", advice: message, needsKey: true };
    case "INDEX_NOT_READY":
      return { title: "The index is not ready", advice: `${message} ${later}` };
    case "LIVE_RESOLUTION_FAILED":
      return { title: "The chain could not be read", advice: message };
    default:
      return errorCodes[code].status === 500
        ? { title: "Something went wrong", advice: message }
        : { title: "This request cannot be answered", advice: message };
  }
}

/** The status of a page built from one answer: that of its error, if it failed. */
export const statusOf = (reply: object): number =>
  reply instanceof ApiError ? errorCodes[reply.code].status : 200;
