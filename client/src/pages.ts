import type { Answer, CallOptions, OperationName, OperationParameters, Operations } from "./operations.ts";

/** What each page of a list says of the next one. Histories do so if they are asked for a page. */
type Page = { next_cursor?: string | null };

/** What tells a page of a list. */
type Place = { page?: number; cursor?: string; page_size?: number };

/** Name of an operation whose answers come in pages. */
export type PagedOperation = {
  [Name in OperationName]: OperationParameters<Name> extends { cursor?: string }
    ? Answer<Name> extends Page
      ? Name
      : never
    : never;
}[OperationName];

/**
 * Every page of a list, from the first, from `page` or from `cursor`. Each is asked for when the loop comes to it, and begins
 * where the one before ended: what comes and goes meanwhile moves nothing.
 */
export async function* readPages<Name extends PagedOperation>(
  operations: Operations,
  name: Name,
  parameters: OperationParameters<Name>,
  options?: CallOptions,
): AsyncGenerator<Answer<Name>, void, undefined> {
  const ask = operations[name] as (given: object, options?: CallOptions) => Promise<Answer<Name> & Page>;
  const { page, cursor, ...others }: Place = { ...(parameters as Place | undefined) };
  let place: Place = cursor === undefined ? { page: page ?? 1 } : { cursor };
  for (;;) {
    const answer = await ask({ ...others, ...place }, options);
    yield answer;
    if (answer.next_cursor === null) return;
    if (answer.next_cursor === undefined)
      throw new Error("This Namedex is older than its client: it has no cursors.");
    place = { cursor: answer.next_cursor };
  }
}
