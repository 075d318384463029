import type { Child } from "hono/jsx";
import { Card, Empty, Unavailable } from "../../parts/card.tsx";
import { Select } from "../../parts/form.tsx";
import { Pager, withQuery } from "../../parts/pager.tsx";
import { sortable } from "../../parts/sort.ts";
import { DomainTable } from "../../parts/table.tsx";
import type { DomainItem, Paged } from "../../replies.ts";
import type { AddressView } from "../address.tsx";

export type Portfolio = { results: DomainItem[] } & Paged;

const roles = [
  ["effective_owner", "Owner"],
  ["registrar_owner", "Owner in the registrar"],
  ["wrapper_owner", "Owner in the NameWrapper"],
  ["registry_owner", "Owner in the registry"],
  ["resolver", "Resolver"],
] as const;

const ended = [
  ["false", "Active names"],
  ["true", "Expired names too"],
] as const;

/** The names of an address, sortable and filtered. */
export async function namesOfAddress({ visit, address, now }: AddressView): Promise<Child> {
  const order = { sort_by: visit.query("sort_by"), sort_dir: visit.query("sort_dir") };
  const filters = {
    address_type: visit.query("address_type"),
    include_expired: visit.query("include_expired"),
    chain: visit.query("chain"),
  };
  const list = await visit.tryAsk<Portfolio>("/address/{address}/domains", {
    ...{ address, page: visit.query("page") },
    ...order,
    ...filters,
  });
  const path = `explore/address/${address}`;
  const urlOf = (values: Record<string, string | number | undefined>) =>
    withQuery(path, { ...filters, ...values });
  return (
    <Card id="names" title="Names" isWide>
      <form class="filters" action={path} method="get" data-at-once>
        <Select name="address_type" label="The address is" options={roles} value={filters.address_type} />
        <Select name="include_expired" label="Show" options={ended} value={filters.include_expired} />
        <button type="submit" class="quiet">
          Apply
        </button>
      </form>
      {list instanceof Error ? (
        <Unavailable error={list} />
      ) : (
        <>
          {list.results.length === 0 ? (
            <Empty>No name.</Empty>
          ) : (
            <DomainTable
              caption="Names of the address"
              items={list.results}
              now={now}
              columns={[
                sortable("Name", "full_name", order, urlOf),
                { title: "State" },
                sortable("Expiry", "expiry_timestamp", order, urlOf),
                { title: "Owner" },
              ]}
            />
          )}
          <Pager list={list} what="names" urlOf={(page) => urlOf({ ...order, page })} />
        </>
      )}
    </Card>
  );
}
