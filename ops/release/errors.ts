/** What was asked cannot be done; the message says why and what to do. */
export class ReleaseError extends Error {
  override readonly name: string = "ReleaseError";
}

/** It cannot be done yet: the index has to go on first. */
export class NotYetError extends ReleaseError {
  override readonly name = "NotYetError";
}
