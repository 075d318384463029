import { ApiError } from "../../server/errors/errors.ts";

/** What is wrong with a query: the caller gets the message with status 200, as graph-node answers. */
export class QueryError extends ApiError {
  constructor(message: string) {
    super("INVALID_PARAMETER", message);
  }
}
