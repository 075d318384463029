import { endingExpiryOf } from "../../../names/rules/lifeEnds.ts";
import type { DomainItem, Domains } from "../replies.ts";
import { Empty } from "./card.tsx";
import { AddressLink } from "./hash.tsx";
import { ChainMark, NameLink, ProtocolMark } from "./name.tsx";
import { ListPager } from "./pager.tsx";
import { type Order, sortable, type UrlOf } from "./sort.ts";
import { StateBadge } from "./state.tsx";
import { ItemTable } from "./table.tsx";
import { Time } from "./time.tsx";

type Props = {
  list: Domains;
  caption: string;
  /** Number of the first name. */
  first: number;
  /** What the pager calls them. */
  what: string;
  /** The address whose page has the list: it is not repeated as the owner of each name. */
  ofAddress?: string;
  /** The text of an empty list. */
  empty: string;
  order: Order;
  /** The page that shows the list, with its filters and these values. */
  urlOf: UrlOf;
  now: number;
};

/** A page of names with state, expiry and owner, sortable, and the way to the next page. */
export const DomainList = ({ list, first, caption, what, ofAddress, empty, order, urlOf, now }: Props) => (
  <>
    {list.results.length === 0 ? (
      <Empty>{empty}</Empty>
    ) : (
      <ItemTable
        caption={caption}
        items={list.results}
        columns={[
          { ...sortable("Name", "full_name", order, urlOf), cell: (item) => <Named item={item} /> },
          { title: "State", cell: (item) => <StateBadge state={item.availability_status} /> },
          {
            ...sortable("Expiry", "expiry_timestamp", order, urlOf),
            cell: (item) => <Expiry at={endingExpiryOf(item)} now={now} />,
          },
          ...(list.results.every((item) => isOwnedBy(ofAddress, item))
            ? []
            : [
                {
                  title: "Owner",
                  cell: (item: DomainItem) =>
                    !isOwnedBy(ofAddress, item) && <Owner ownership={item.ownership} />,
                },
              ]),
        ]}
      />
    )}
    <ListPager list={list} first={first} what={what} urlOf={(place) => urlOf({ ...order, ...place })} />
  </>
);

const isOwnedBy = (address: string | undefined, { ownership: { owner, is_owner_current } }: DomainItem) =>
  address !== undefined && is_owner_current && owner?.toLowerCase() === address.toLowerCase();

/** Who owns a name now; of an ended one, who held it last, and until when. */
export const Owner = ({ ownership: { owner, is_owner_current, last_owner } }: Owned) => {
  if (last_owner !== undefined) {
    return (
      <>
        <span class="faint">last held by</span> <AddressLink address={last_owner.address} />{" "}
        {last_owner.to_timestamp !== undefined && (
          <span class="faint">
            until <Time at={last_owner.to_timestamp} day />
          </span>
        )}
      </>
    );
  }
  return owner === undefined || !is_owner_current ? (
    <span class="faint">none</span>
  ) : (
    <AddressLink address={owner} />
  );
};

type Owned = { ownership: Pick<DomainItem["ownership"], "owner" | "is_owner_current" | "last_owner"> };

const Named = ({ item: { name, display, chain, protocol } }: { item: DomainItem }) => (
  <>
    <NameLink name={name} display={display} />
    <ChainMark chain={chain} />
    <ProtocolMark protocol={protocol} />
  </>
);

type ExpiryProps = { at: DomainItem["expiry_timestamp"]; now: number };

export const Expiry = ({ at, now }: ExpiryProps) =>
  at === null ? <span class="faint">none</span> : <Time at={Number(at)} now={now} day />;
