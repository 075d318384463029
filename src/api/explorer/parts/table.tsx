import type { Child } from "hono/jsx";
import type { DomainItem } from "../replies.ts";
import { AddressLink } from "./hash.tsx";
import { ChainMark, NameLink } from "./name.tsx";
import { StateBadge } from "./state.tsx";
import { Time } from "./time.tsx";

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

type DomainsProps = {
  caption: string;
  items: readonly DomainItem[];
  columns: readonly Column[];
  now: number;
};

/** Names with state, expiry and owner. */
export const DomainTable = ({ caption, items, columns, now }: DomainsProps) => (
  <Table caption={caption} columns={columns}>
    {items.map((item) => (
      <tr>
        <th scope="row">
          <NameLink name={item.name} display={item.display} />
          <ChainMark chain={item.chain} />
        </th>
        <td>
          <StateBadge state={item.availability_status} />
        </td>
        <td>
          {item.expiry_timestamp === null ? (
            <span class="faint">none</span>
          ) : (
            <Time at={Number(item.expiry_timestamp)} now={now} day />
          )}
        </td>
        <td>
          {item.ownership.owner === undefined ? (
            <span class="faint">nobody</span>
          ) : (
            <AddressLink address={item.ownership.owner} />
          )}
        </td>
      </tr>
    ))}
  </Table>
);
