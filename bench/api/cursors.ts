import type { Operation } from "./operations.ts";
import type { Samples } from "./samples.ts";

/** A first page may take this many times as long as the floor, and the last one too. */
const PAGE = 5;
const SIZE = 200;
/** Results that can be reached by numbers of pages. */
const BY_NUMBER = 100_000;

type List = { path: string; url: string; name: string };

const listsOf = ({ largestOwner, parents, resolvers }: Samples): List[] => {
  const search = "/search-domains";
  const children = "/domain/{name}/subdomains";
  const held = "/address/{address}/domains";
  const previous = "/address/{address}/previous-domains";
  const ofParent = `/domain/${parents[0]}/subdomains`;
  return [
    { path: search, name: "by name", url: `${search}?total=false` },
    { path: search, name: "by name, with total", url: `${search}?is_wrapped=false` },
    {
      path: search,
      name: "by expiry, latest first",
      url: `${search}?sort_by=expiry_timestamp&sort_dir=desc`,
    },
    { path: search, name: "of a common resolver", url: `${search}?resolver=${resolvers.common}` },
    { path: children, name: "of a large parent", url: ofParent },
    { path: children, name: "of .eth by label", url: "/domain/eth/subdomains?total=false" },
    {
      path: children,
      name: "of a large parent, filtered",
      url: `${ofParent}?include_ownerless=false&include_expired=false&total=false`,
    },
    {
      path: held,
      name: "of the largest owner",
      url: `/address/${largestOwner}/domains?include_expired=true`,
    },
    { path: previous, name: "of the largest owner", url: `/address/${largestOwner}/previous-domains` },
  ];
};

type Answer = { total?: number; next_cursor: string | null };

/** The cursor of the last page, or of the last one that a number leads to. */
async function lateCursor(ask: (query: string) => Promise<Answer>): Promise<string | null> {
  const { total } = await ask("page_size=1");
  const last = Math.floor(((total ?? BY_NUMBER) - 1) / SIZE);
  return last < 1
    ? null
    : (await ask(`page_size=${SIZE}&page=${Math.min(last, BY_NUMBER / SIZE)}`)).next_cursor;
}

/** The first page of lists, and the last one by cursor: both of the usual size. */
export async function cursorOperations(url: string, samples: Samples): Promise<Operation[]> {
  const operations: Operation[] = [];
  for (const { path, name, url: list } of listsOf(samples)) {
    const withQuery = (query: string) => `${list}${list.includes("?") ? "&" : "?"}${query}`;
    const ask = async (query: string) => (await (await fetch(`${url}${withQuery(query)}`)).json()) as Answer;
    const cursor = await lateCursor(ask);
    const measured = (which: string, query: string): Operation => ({
      name: `${path}, ${name}, ${which}`,
      path,
      requests: [{ path: withQuery(query) }],
      against: "floor",
      figure: "p99",
      target: { of: "ratio", atMost: PAGE },
    });
    operations.push(measured("first page", "page_size=25"));
    if (cursor !== null) operations.push(measured("last page by cursor", `page_size=25&cursor=${cursor}`));
  }
  return operations;
}
