/** Which step of a live resolution failed. */
export type LiveStep =
  /** The node did not answer a call, or no node is configured. */
  | "rpc"
  /** The name's resolver, or the Universal Resolver, reverted or gave an answer that cannot be decoded. */
  | "resolver"
  /** A gateway of the resolver (CCIP-Read) failed, or requests to it are not allowed. */
  | "gateway"
  /** The time for the whole answer is over. */
  | "deadline";

/**
 * The chain could not be asked. It says nothing about the name: a record that is known to be absent is an answer, not a
 * failure. The message is for the caller and says which step failed.
 */
export class LiveFailure extends Error {
  override readonly name = "LiveFailure";
  readonly step: LiveStep;

  constructor(step: LiveStep, message: string) {
    super(message);
    this.step = step;
  }
}
