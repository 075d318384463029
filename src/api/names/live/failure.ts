/** The step at which a live resolution failed. */
export type LiveStep =
  /** The node did not answer a call, or no node is configured. */
  | "rpc"
  /** The name's resolver, or the Universal Resolver, reverted or returned an answer that cannot be decoded. */
  | "resolver"
  /** A gateway of the resolver (CCIP-Read) failed, or requests to it are not allowed. */
  | "gateway"
  /** The time limit of the whole answer has passed. */
  | "deadline";

/**
 * The chain could not be read. This says nothing about the name: a record known to be absent is an answer, not a failure. The
 * message is for the caller and names the step that failed.
 */
export class LiveFailure extends Error {
  override readonly name = "LiveFailure";
  readonly step: LiveStep;

  constructor(step: LiveStep, message: string) {
    super(message);
    this.step = step;
  }
}
