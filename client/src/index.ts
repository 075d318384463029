export type { ChangesOf } from "./changes.ts";
export { type Ask, type CallOptions, connect, type NamedexConfig } from "./connect.ts";
export { createNamedex, type Namedex } from "./createNamedex.ts";
export {
  AccessError,
  ConnectionError,
  type ErrorCode,
  InvalidRequestError,
  LiveResolutionError,
  NamedexError,
  NoSuchOperationError,
  PositionGoneError,
  RateLimitedError,
  ServerError,
  UnavailableError,
} from "./errors.ts";
export * from "./openapi/sdk.gen.ts";
export type * from "./openapi/types.gen.ts";
export type { ItemOf, PagedOperation } from "./pages.ts";
export type { AddressQuestions, NameQuestions } from "./people.ts";
export { toDate, toSeconds } from "./time.ts";
export { verify, WebhookError, type WebhookMessage, type WebhookRequest } from "./verify.ts";
