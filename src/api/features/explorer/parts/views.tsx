import type { Child } from "hono/jsx";
import type { Visit } from "../page.ts";
import { withQuery } from "./pager.tsx";

/** One way to look at a name or an address. Each asks its own operations, so that a page costs a visitor few requests. */
type View<Subject> = { key: string; label: string; show: (subject: Subject) => Promise<Child> };

/** All views of one thing; the first is shown unless the visit asks for another. */
export type Views<Subject> = readonly [View<Subject>, ...View<Subject>[]];

type Looked<Subject> = { views: Views<Subject>; view: View<Subject> };

export const viewOf = <Subject,>(visit: Visit, views: Views<Subject>): View<Subject> =>
  views.find(({ key }) => key === visit.query("view")) ?? views[0];

/** What a page's title says of its view. */
export const inTitle = <Subject,>({ views, view }: Looked<Subject>): string =>
  view === views[0] ? "" : `: ${view.label}`;

/** A view's address, below that of the thing. */
export const viewUrl = <Subject,>(path: string, { views, view }: Looked<Subject>): string =>
  withQuery(path, { view: view === views[0] ? undefined : view.key });

type TabsProps<Subject> = Looked<Subject> & { label: string; path: string };

export const Tabs = <Subject,>({ label, path, views, view }: TabsProps<Subject>) => (
  <nav class="tabs" aria-label={label}>
    {views.map((one) => (
      <a
        href={viewUrl(path, { views, view: one })}
        {...(one === view && { "aria-current": "page" as const })}
      >
        {one.label}
      </a>
    ))}
  </nav>
);
