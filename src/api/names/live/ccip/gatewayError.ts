/** A gateway gave no usable answer. `status` is its HTTP status, or 0 without one. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}
