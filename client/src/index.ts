export type { ChangesOf } from "./changes.ts";
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
export type * from "./openapi/types.gen.ts";
export type { CallOptions, NamedexConfig } from "./operations.ts";
export { verify, WebhookError, type WebhookMessage, type WebhookRequest } from "./verify.ts";
