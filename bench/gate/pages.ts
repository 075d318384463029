import type { Route } from "./routes.ts";

/** How many first pages are asked for their cursors. */
const FIRST_PAGES = 300;
/** One request in this many continues from a cursor. */
const EVERY = 10;

/** Whether the first request's answer holds anything: an empty one says nothing about speed. */
export async function isFirstFull({ asked, hasPages }: Route, url: string): Promise<boolean> {
  const [first] = asked;
  if (first === undefined) return false;
  const headers = { "content-type": "application/json" };
  const reply = await fetch(
    `${url}${first.path}`,
    first.body === undefined ? {} : { method: "POST", headers, body: first.body },
  );
  if (reply.status !== 200) return false;
  const answer = (await reply.json()) as object;
  return hasPages ? itemsOf(answer) > 0 : Object.keys(answer).length > 1;
}

const itemsOf = (answer: object): number =>
  Math.max(0, ...Object.values(answer).map((value) => (Array.isArray(value) ? value.length : 0)));

/** The requests of a list, a tenth of them from cursors of answers, and the number of different cursors. */
export async function continued({ asked, shortPage }: Route, url: string) {
  const first = [...new Set(asked.map(({ path }) => path))].slice(0, FIRST_PAGES);
  const cursors: { path: string }[] = [];
  for (const path of first) {
    const page = shortPage === undefined ? path : withParameter(path, `page_size=${shortPage}`);
    const reply = await fetch(`${url}${page}`);
    const { next_cursor: cursor } = (await reply.json()) as { next_cursor?: string | null };
    if (cursor) cursors.push({ path: withParameter(page, `cursor=${encodeURIComponent(cursor)}`) });
  }
  const goesOn = (i: number) => cursors.length > 0 && i % EVERY === 0;
  return {
    asked: asked.map((one, i) => (goesOn(i) ? (cursors[(i / EVERY) % cursors.length] ?? one) : one)),
    cursors: cursors.length,
  };
}

const withParameter = (path: string, parameter: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}${parameter}`;
