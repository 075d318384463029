import { expect, test } from "vitest";
import type { OnChain } from "./oracle.ts";
import { matches, type ScreenId, screens } from "./screens.ts";
import type { AppsStage } from "./stage.ts";

/** The single stage of all screens, and the contracts' answers about every name, read once. */
export let stage: AppsStage;
export let story: readonly OnChain[];

export function setStage(opened: AppsStage, read: readonly OnChain[]): void {
  stage = opened;
  story = read;
}

/** A name of the story, as the contracts have it. */
export const onChain = (name: string): OnChain =>
  story.find((one) => one.name === name) ?? expect.fail(`the story has no ${name}`);

/** What a screen may use: requests to the API through the counter. */
export type Asking = {
  get: <Body>(path: string) => Promise<Body>;
  post: <Body>(path: string, body: unknown) => Promise<Body>;
  /** All items of a list, page after page by its cursors, and the answer of the first page. */
  list: <Item>(path: string, field?: "results" | "events") => Promise<Listed<Item>>;
};

type Listed<Item> = { items: Item[]; total: number | undefined; pages: number };
type Page = { results?: unknown[]; events?: unknown[]; total?: number; next_cursor?: string | null };

function askingOf(id: ScreenId): Asking {
  const url = stage.counter.urlOf(id);
  const ask = async <Body>(path: string, init?: RequestInit): Promise<Body> => {
    const reply = await fetch(`${url}${path}`, init);
    const body = (await reply.json()) as Body;
    expect(reply.status, `${path}: ${JSON.stringify(body).slice(0, 500)}`).toBe(200);
    return body;
  };
  const get = <Body>(path: string) => ask<Body>(path);
  return {
    get,
    post: (path, body) =>
      ask(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    list: async <Item>(path: string, field: "results" | "events" = "results") => {
      const itemsOf = (page: Page) => (page[field] ?? expect.fail(`${path}: no ${field}`)) as Item[];
      const first = await get<Page>(path);
      const items = [...itemsOf(first)];
      let cursor = first.next_cursor;
      let read = 1;
      for (; cursor; read++) {
        const page: Page = await get<Page>(`${path}&cursor=${encodeURIComponent(cursor)}&total=false`);
        items.push(...itemsOf(page));
        cursor = page.next_cursor;
      }
      return { items, total: first.total, pages: read };
    },
  };
}

/** Counted requests of each screen: those that ENS's own index needs for the same, and ours. */
export const counted = new Map<ScreenId, { theirs: number; ours: number }>();

/**
 * Tests a screen on the story. `play` returns how many requests ENS's own index needs for the same names. Our requests must not be
 * more, must match the table, and must hold no parameter that the API ignores.
 */
export function screen(id: ScreenId, play: (asking: Asking) => Promise<{ theirs: number }>): void {
  const { job, requests } = screens[id];
  test(`${id} ${job}`, async () => {
    await stage.stack.waitForHead();
    const { theirs } = await play(askingOf(id));
    const seen = stage.counter.requestsOf(id);
    counted.set(id, { theirs, ours: seen.length });
    expect(seen.filter(({ ignored }) => ignored !== null)).toEqual([]);
    const strange = seen.filter((one) => !requests.some((template) => matches(template, one)));
    expect(strange, "requests that the table does not have").toEqual([]);
    const unused = requests.filter((template) => !seen.some((one) => matches(template, one)));
    expect(unused, "requests of the table that the screen did not make").toEqual([]);
    expect(seen.length, `${id}: requests`).toBeLessThanOrEqual(theirs);
  });
}
