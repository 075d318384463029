import type { Child } from "hono/jsx";

/** A heading of a column; one that sorts leads to the list in its order. */
export type Column = { title: string; sort?: { url: string; now: "ascending" | "descending" | null } };

type Props = { caption: string; columns: readonly Column[]; children?: Child };

/** A table that scrolls by itself where it is wider than the screen. */
export const Table = ({ caption, columns, children }: Props) => (
  <section class="scroll" tabindex={0} aria-label={`Table: ${caption}`}>
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, sort }) => (
            <th scope="col" {...(sort?.now && { "aria-sort": sort.now })}>
              {sort ? (
                <a href={sort.url}>
                  {title}
                  {sort.now && <span aria-hidden="true">{sort.now === "ascending" ? " ↑" : " ↓"}</span>}
                </a>
              ) : (
                title
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
