import type { CallOptions } from "./connect.ts";
import { listsOf } from "./openapi/lists.gen.ts";
import type { Answer, AskJson, OperationParameters } from "./operations.ts";
import { read } from "./read.ts";

/** Name of an operation whose answers come in pages. */
export type PagedOperation = keyof typeof listsOf;

/** The parameters of a paged operation. */
export type PagedParameters<Name extends PagedOperation> = OperationParameters<Name>;

/** One result of a paged operation. */
export type ItemOf<Name extends PagedOperation> =
  Answer<Name> extends Partial<Record<(typeof listsOf)[Name][number], readonly (infer Item)[]>>
    ? Item
    : never;

/** Identifies a page of a list. */
type Place = { page?: number; cursor?: string };

/**
 * All pages of a list, from the first one, from `page` or from `cursor`. Each is fetched when the loop reaches it, and begins
 * where the previous one ended, so items added or removed meanwhile do not shift the others.
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

/** All results of a list, page by page. */
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
