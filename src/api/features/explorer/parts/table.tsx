import type { Child } from "hono/jsx";

/** A heading of a column; one that sorts leads to the list in its order. */
export type Column = { title: string; sort?: { url: string; now: "ascending" | "descending" | null } };

type Props = { caption: string; columns: readonly Column[]; children?: Child };

/** A table that scrolls by itself where it is wider than the screen: for numbers, and for two columns. */
export const Table = ({ caption, columns, children }: Props) => (
  <section class="scroll" tabindex={0} aria-label={`Table: ${caption}`}>
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" {...sortedBy(column)}>
              <Heading {...column} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

const sortedBy = ({ sort }: Column) => (sort?.now ? { "aria-sort": sort.now } : {});

const Heading = ({ title, sort }: Column) =>
  sort ? (
    <a href={sort.url}>
      {title}
      {sort.now && <span aria-hidden="true">{sort.now === "ascending" ? " ↑" : " ↓"}</span>}
    </a>
  ) : (
    <span>{title}</span>
  );

/** A column with what it shows of an item. */
export type ItemColumn<Item> = Column & { cell: (item: Item) => Child; isNumber?: true };

type ItemsProps<Item> = { caption: string; columns: readonly ItemColumn<Item>[]; items: readonly Item[] };

/** Some browsers take a table that is shown as blocks for none, unless its parts say what they are. */
const as = (role: string) => ({ role });

/**
 * A table of items, the first column naming each. On a narrow screen each row is a card, with the titles beside the values:
 * the style sheet alone does that.
 */
export const ItemTable = <Item,>({ caption, columns, items }: ItemsProps<Item>) => (
  <table class="items" {...as("table")}>
    <caption class="unseen">{caption}</caption>
    <thead {...as("rowgroup")}>
      <tr {...as("row")}>
        {columns.map((column) => (
          <th
            scope="col"
            {...as("columnheader")}
            {...sortedBy(column)}
            {...(column.sort && { class: "sorts" })}
          >
            <Heading {...column} />
          </th>
        ))}
      </tr>
    </thead>
    <tbody {...as("rowgroup")}>
      {items.map((item) => (
        <tr {...as("row")}>
          {columns.map(({ title, cell, isNumber }, i) =>
            i === 0 ? (
              <th scope="row" {...as("rowheader")}>
                {cell(item)}
              </th>
            ) : (
              <td {...as("cell")} data-label={title} {...(isNumber && { class: "number" })}>
                {cell(item)}
              </td>
            ),
          )}
        </tr>
      ))}
    </tbody>
  </table>
);
