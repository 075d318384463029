import { NamedexError } from "./errors.ts";
import { maxItems } from "./openapi/limits.gen.ts";
import type { AsOf, Records } from "./openapi/types.gen.ts";
import type { Answer, CallOptions, OperationParameters, Operations } from "./operations.ts";

/** Concurrent bulk requests of one call; more would only wait for each other at the server. */
const REQUESTS_AT_A_TIME = 4;

type Whois = Answer<"postWhoisBulk">;
type PrimaryNames = Answer<"postAddressPrimaryNamesBulk">;

/** Names and namehashes, any number of each. */
export type ManyNames = { names?: readonly string[]; namehashes?: readonly string[] };

/** Addresses, any number of them. */
export type ManyAddresses = { addresses: readonly string[] };

type Found = Answer<"postLookup">;
type LookedUp = Found["results"][number];

/** Any number of names, namehashes and addresses, and what to return for each. */
export type ManyInputs = OperationParameters<"postLookup">;

type Item = { key: "names" | "namehashes"; text: string };

/** `postWhoisBulk` for any number of names. */
export async function whoisMany(
  operations: Operations,
  { names = [], namehashes = [] }: ManyNames,
  options?: CallOptions,
): Promise<Whois> {
  const items: Item[] = [
    ...names.map((text) => ({ key: "names" as const, text })),
    ...namehashes.map((text) => ({ key: "namehashes" as const, text })),
  ];
  const textsOf = (batch: Item[], key: Item["key"]) =>
    batch.filter((item) => item.key === key).map(({ text }) => text);
  const answers = await inBatches(items, {
    size: maxItems.post_whois_bulk.names,
    options,
    ask: (batch, each) =>
      operations.postWhoisBulk(
        { names: textsOf(batch, "names"), namehashes: textsOf(batch, "namehashes") },
        each,
      ),
  });
  const summary: Whois["summary"] = {
    total: 0,
    registered: 0,
    grace: 0,
    premium: 0,
    available: 0,
    unknown: 0,
    expiring_30d: 0,
  };
  for (const key of Object.keys(summary) as (keyof typeof summary)[]) {
    summary[key] = answers.reduce((sum, answer) => sum + answer.summary[key], 0);
  }
  return { results: answers.flatMap(({ results }) => results), summary, as_of: blocksOf(answers) };
}

/** `postAddressPrimaryNamesBulk` for any number of addresses. */
export async function primaryNames(
  operations: Operations,
  { addresses }: ManyAddresses,
  options?: CallOptions,
): Promise<PrimaryNames> {
  const answers = await inBatches(addresses, {
    size: maxItems.post_address_primary_names_bulk.addresses,
    options,
    ask: (batch, each) => operations.postAddressPrimaryNamesBulk({ addresses: batch }, each),
  });
  const found = new Map<string, PrimaryNames["results"][string]>();
  for (const [address, item] of answers.flatMap(({ results }) => Object.entries(results))) {
    // Two spellings of an address may be in two requests.
    const before = found.get(address);
    const others = before && [...(before.other_queries ?? []), item.query, ...(item.other_queries ?? [])];
    found.set(address, before ? { ...before, other_queries: [...new Set(others)] } : item);
  }
  // Keys may be any text that was sent, `__proto__` too: fromEntries makes each a field.
  return { results: Object.fromEntries(found), as_of: blocksOf(answers) };
}

/** `postLookup` for any number of inputs. What does not fit into an answer is requested again. */
export async function lookup(
  operations: Operations,
  { inputs, ...wanted }: ManyInputs,
  options?: CallOptions,
): Promise<Found> {
  const answers = await inBatches(inputs, {
    size: maxItems.post_lookup.inputs,
    options,
    ask: (batch, each) =>
      lookupWhole(batch, (cursors) => operations.postLookup({ ...wanted, inputs: cursors }, each)),
  });
  return { results: answers.flatMap(({ results }) => results), as_of: blocksOf(answers) };
}

/** Requests the rest until nothing is left out, or an answer adds nothing. */
async function lookupWhole(inputs: string[], ask: (inputs: string[]) => Promise<Found>): Promise<Found> {
  const first = await ask(inputs);
  const results = [...first.results];
  const answers = [first];
  for (;;) {
    const open = results.flatMap((result, at) => {
      const cursor = cursorOf(result);
      return cursor === undefined ? [] : [{ at, cursor }];
    });
    if (open.length === 0) break;
    const next = await ask(open.map(({ cursor }) => cursor));
    answers.push(next);
    for (const [i, { at }] of open.entries())
      results[at] = joined(results[at] as LookedUp, next.results[i] as LookedUp);
    if (next.results.every(({ status }) => status === "left_out")) break;
  }
  return { results, as_of: blocksOf(answers) };
}

const cursorOf = (result: LookedUp): string | undefined => ("cursor" in result ? result.cursor : undefined);

/** Joins a result with its continuation: the input as sent, and the records of both. */
function joined(before: LookedUp, later: LookedUp): LookedUp {
  if (before.kind !== "name") return { ...later, input: before.input };
  if (later.kind !== "name") return before;
  return { ...later, input: before.input, records: unionOf(before.records, later.records) as Records };
}

/** The union of lists and objects; single values are equal in both. */
function unionOf(before: unknown, later: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(later)) return [...new Set([...before, ...later])];
  const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
  if (!isObject(before) || !isObject(later)) return before ?? later;
  const both = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(later)) both.set(key, unionOf(both.get(key), value));
  // Keys may be any text, `__proto__` too: fromEntries makes each a field.
  return Object.fromEntries(both);
}

/** The blocks of all requests, each once. A chain has several if blocks arrived between requests. */
function blocksOf(answers: readonly { as_of: AsOf }[]): AsOf {
  const blocks = answers.flatMap(({ as_of }) => as_of);
  return [
    ...new Map(
      blocks.map((block) => [
        [block.chain_id, block.source, block.block_number, block.block_hash].join(),
        block,
      ]),
    ).values(),
  ];
}

type Ask<Item, Reply> = (batch: Item[], options: CallOptions) => Promise<Reply>;

type Plan<Item, Reply> = { size: number; options: CallOptions | undefined; ask: Ask<Item, Reply> };

/** Requests all items in batches of at most `size`, a few at a time. The answers keep the order of the items. */
async function inBatches<Item, Reply>(
  items: readonly Item[],
  { size, options = {}, ask }: Plan<Item, Reply>,
): Promise<Reply[]> {
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
  const replies: Reply[][] = [];
  const waiting = batches.entries();
  return endingTogether(options.signal, async (signal) => {
    const work = async () => {
      for (const [index, batch] of waiting) {
        replies[index] = await askInParts(batch, (part) => ask(part, { ...options, signal }));
      }
    };
    await Promise.all(Array.from({ length: Math.min(REQUESTS_AT_A_TIME, batches.length) }, work));
    return replies.flat();
  });
}

/** Runs with a signal that aborts all requests if the caller's signal does, or one of them fails. */
async function endingTogether<T>(
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener("abort", stop, { once: true });
  try {
    return await run(controller.signal);
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    outer?.removeEventListener("abort", stop);
  }
}

/** Limits on bytes and labels depend on the items: a batch that exceeds one is split in half. */
async function askInParts<Item, Reply>(
  batch: Item[],
  ask: (part: Item[]) => Promise<Reply>,
): Promise<Reply[]> {
  try {
    return [await ask(batch)];
  } catch (error) {
    const isTooLarge =
      error instanceof NamedexError && ["LIMIT_EXCEEDED", "RESPONSE_TOO_LARGE"].includes(error.code);
    if (!isTooLarge || batch.length < 2) throw error;
    const half = Math.ceil(batch.length / 2);
    return [...(await askInParts(batch.slice(0, half), ask)), ...(await askInParts(batch.slice(half), ask))];
  }
}
