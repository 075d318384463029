import type { Answer, CallOptions, OperationName, OperationParameters, Operations } from "./operations.ts";

/** What each page of a list says of itself. Histories do so if they are asked for a page. */
type Page = {
  /** Absent with `total=false`. */
  total?: number;
  page?: number;
  page_size?: number;
  next_cursor?: string | null;
  /** Of an ownership history with `audit`: it has three lists, and pages go through all of them. */
  audit_totals?: Record<string, number>;
};

/** Name of an operation whose answers come in pages. */
export type PagedOperation = {
  [Name in OperationName]: OperationParameters<Name> extends { page?: number }
    ? Answer<Name> extends Page
      ? Name
      : never
    : never;
}[OperationName];

/** Every page of a list, from the first or from `page`. Each is asked for when the loop comes to it. */
export async function* readPages<Name extends PagedOperation>(
  operations: Operations,
  name: Name,
  parameters: OperationParameters<Name>,
  options?: CallOptions,
): AsyncGenerator<Answer<Name>, void, undefined> {
  const ask = operations[name] as (given: object, options?: CallOptions) => Promise<Answer<Name> & Page>;
  for (let page = (parameters as { page?: number } | undefined)?.page ?? 1; ; page++) {
    const answer = await ask({ ...parameters, page }, options);
    yield answer;
    if (isLast(answer, page)) return;
  }
}

function isLast(
  { total, page_size: size, next_cursor: next, audit_totals: others = {} }: Page,
  page: number,
) {
  if (total === undefined) return typeof next !== "string";
  return size === undefined || page * size >= Math.max(total, ...Object.values(others));
}
