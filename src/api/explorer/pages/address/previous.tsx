import type { Child } from "hono/jsx";
import { Card, Empty, Unavailable } from "../../parts/card.tsx";
import { AddressLink } from "../../parts/hash.tsx";
import { ChainMark, NameLink } from "../../parts/name.tsx";
import { firstIn, ListPager, placeIn, withQuery } from "../../parts/pager.tsx";
import { StateBadge } from "../../parts/state.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Paged, PreviousDomain } from "../../replies.ts";
import type { AddressView } from "./view.ts";

/** Names that the address had, and has no more. */
export async function previousOfAddress({ visit, address, now }: AddressView): Promise<Child> {
  const list = await visit.tryAsk<{ results: PreviousDomain[] } & Paged>(
    "/address/{address}/previous-domains",
    {
      ...{ address, ...placeIn(visit) },
    },
  );
  if (list instanceof Error) return <Unavailable error={list} />;
  return (
    <Card id="previous" title="Previous names" isWide>
      {list.results.length === 0 ? (
        <Empty>The address has no name that it had before.</Empty>
      ) : (
        <Table
          caption="Names that the address had before"
          columns={["Name", "State now", "Last event with the address", "Owner now"].map((title) => ({
            title,
          }))}
        >
          {list.results.map((item) => (
            <tr>
              <th scope="row">
                <NameLink name={item.name} />
                <ChainMark chain={item.chain} />
              </th>
              <td>
                <StateBadge state={item.availability_status} />
              </td>
              <td>
                <Time at={item.last_owned_block_timestamp} now={now} day />
              </td>
              <td>
                {item.ownership.owner === undefined ? (
                  <span class="faint">none</span>
                ) : (
                  <AddressLink address={item.ownership.owner} />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <ListPager
        {...{ list, first: firstIn(visit, list) }}
        what="names before"
        urlOf={(place) => withQuery(`explore/address/${address}`, { view: "previous", ...place })}
      />
    </Card>
  );
}
