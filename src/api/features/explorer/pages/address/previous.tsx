import type { Child } from "hono/jsx";
import { Card, Empty, Unavailable } from "../../parts/card.tsx";
import { Owner } from "../../parts/domainList.tsx";
import { ChainMark, NameLink } from "../../parts/name.tsx";
import { firstIn, ListPager, placeIn, withQuery } from "../../parts/pager.tsx";
import { StateBadge } from "../../parts/state.tsx";
import { ItemTable } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Paged, PreviousDomain } from "../../replies.ts";
import type { AddressView } from "./view.ts";

/** Names that the address had, and has no more. */
export async function previousOfAddress({ visit, address, now }: AddressView): Promise<Child> {
  const list = await visit.tryAsk<{ results: PreviousDomain[] } & Paged>(
    "/address/{address}/previous-domains",
    {
      address,
      ...placeIn(visit),
    },
  );
  if (list instanceof Error) return <Unavailable error={list} />;
  return (
    <Card id="previous" title="Previous names" isWide>
      {list.results.length === 0 ? (
        <Empty>This address has no previous names.</Empty>
      ) : (
        <ItemTable
          caption="Names that the address had before"
          items={list.results}
          columns={[
            { title: "Name", cell: (item) => <Named item={item} /> },
            { title: "State now", cell: (item) => <StateBadge state={item.availability_status} /> },
            {
              title: "Last event with the address",
              cell: (item) => <Time at={item.last_owned_block_timestamp} now={now} day />,
            },
            { title: "Owner now", cell: (item) => <Owner ownership={item.ownership} /> },
          ]}
        />
      )}
      <ListPager
        list={list}
        first={firstIn(visit, list)}
        what="previous names"
        urlOf={(place) => withQuery(`explore/address/${address}`, { view: "previous", ...place })}
      />
    </Card>
  );
}

const Named = ({ item: { name, chain } }: { item: PreviousDomain }) => (
  <>
    <NameLink name={name} />
    <ChainMark chain={chain} />
  </>
);
