import type { DomainItem, Domains } from "../replies.ts";
import { Empty } from "./card.tsx";
import { AddressLink } from "./hash.tsx";
import { ChainMark, NameLink, ProtocolMark } from "./name.tsx";
import { ListPager } from "./pager.tsx";
import { type Order, sortable, type UrlOf } from "./sort.ts";
import { StateBadge } from "./state.tsx";
import { Table } from "./table.tsx";
import { Time } from "./time.tsx";

type Props = {
  list: Domains;
  caption: string;
  /** Number of the first name. */
  first: number;
  /** What the pager calls them. */
  what: string;
  /** What is said where there are none. */
  empty: string;
  order: Order;
  /** The page that shows the list, with its filters and these values. */
  urlOf: UrlOf;
  now: number;
};

/** A page of names with state, expiry and owner, sortable, and the way to the next page. */
export const DomainList = ({ list, first, caption, what, empty, order, urlOf, now }: Props) => (
  <>
    {list.results.length === 0 ? (
      <Empty>{empty}</Empty>
    ) : (
      <Table
        caption={caption}
        columns={[
          sortable("Name", "full_name", order, urlOf),
          { title: "State" },
          sortable("Expiry", "expiry_timestamp", order, urlOf),
          { title: "Owner" },
        ]}
      >
        {list.results.map((item) => (
          <Row item={item} now={now} />
        ))}
      </Table>
    )}
    <ListPager {...{ list, first, what }} urlOf={(place) => urlOf({ ...order, ...place })} />
  </>
);

/** Who owns a name; of one that time ended, who held it last, and until when. */
const Owner = ({ ownership: { owner, last_owner } }: Pick<DomainItem, "ownership">) => {
  if (last_owner !== undefined) {
    return (
      <>
        <span class="faint">last held by</span> <AddressLink address={last_owner.address} />{" "}
        <span class="faint">
          until <Time at={last_owner.to_timestamp} day />
        </span>
      </>
    );
  }
  return owner === undefined ? <span class="faint">none</span> : <AddressLink address={owner} />;
};

const Row = ({ item, now }: { item: DomainItem; now: number }) => (
  <tr>
    <th scope="row">
      <NameLink name={item.name} display={item.display} />
      <ChainMark chain={item.chain} />
      <ProtocolMark protocol={item.protocol} />
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
      <Owner ownership={item.ownership} />
    </td>
  </tr>
);
