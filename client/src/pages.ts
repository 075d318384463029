import type { CallOptions } from "./connect.ts";
import { listsOf } from "./openapi/lists.gen.ts";
import type { Answer, AskJson, OperationParameters } from "./operations.ts";
import { read } from "./read.ts";

/** Name of an operation whose answers come in pages. */
export type PagedOperation = keyof typeof listsOf;

/** What a paged operation takes. */
export type PagedParameters<Name extends PagedOperation> = OperationParameters<Name>;

/** One result of a paged operation. */
export type ItemOf<Name extends PagedOperation> =
  Answer<Name> extends Partial<Record<(typeof listsOf)[Name][number], readonly (infer Item)[]>>
    ? Item
    : never;

/** What tells a page of a list. */
type Place = { page?: number; cursor?: string };

/**
 * Every page of a list, from the first, from `page` or from `cursor`. Each is asked for when the loop comes to it, and begins
 * where the one before ended: what comes and goes meanwhile moves nothing.
 */
export async function* readPages<Name extends PagedOperation>(
  ask: AskJson,
  name: Name,
  parameters?: PagedParameters<Name>,
  options?: CallOptions,
): AsyncGenerator<Answer<Name>, void, undefined> {
  const { page, cursor, ...others }: Place = { ...(parameters as Place | undefined) };
  let place: Place = cursor === undefined ? { page: page ?? 1 } : { cursor };
  for (;;) {
    const answer = await ask(name, { ...others, ...place }, options);
    yield read(answer) as Answer<Name>;
    const { next_cursor: next } = answer as { next_cursor?: string | null };
    if (next === null) return;
    if (next === undefined) throw new Error("This Namedex is older than its client: it has no cursors.");
    place = { cursor: next };
  }
}

/** Every result of a list, page after page. */
export async function* readItems<Name extends PagedOperation>(
  ask: AskJson,
  name: Name,
  parameters?: PagedParameters<Name>,
  options?: CallOptions,
): AsyncGenerator<ItemOf<Name>, void, undefined> {
  for await (const page of readPages(ask, name, parameters, options)) {
    for (const list of listsOf[name]) yield* (page as unknown as Record<string, ItemOf<Name>[]>)[list] ?? [];
  }
}
