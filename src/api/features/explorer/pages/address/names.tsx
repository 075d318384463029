import type { Child } from "hono/jsx";
import { Card, Unavailable } from "../../parts/card.tsx";
import { DomainList } from "../../parts/domainList.tsx";
import { ChainSelect, Select } from "../../parts/form.tsx";
import { firstIn, placeIn, withQuery } from "../../parts/pager.tsx";
import { orderOf, type UrlOf } from "../../parts/sort.ts";
import type { Domains } from "../../replies.ts";
import type { AddressView } from "./view.ts";

const roles = [
  ["effective_owner", "Owner"],
  ["registrar_owner", "Registrar owner"],
  ["wrapper_owner", "NameWrapper owner"],
  ["registry_owner", "Registry owner"],
  ["resolver", "Resolver"],
] as const;

const ended = [
  ["false", "Active names"],
  ["true", "Include expired"],
] as const;

/** The names of an address, sortable and filtered. */
export async function namesOfAddress({ visit, address, now }: AddressView): Promise<Child> {
  const order = orderOf(visit);
  const filters = {
    address_type: visit.query("address_type"),
    include_expired: visit.query("include_expired"),
    chain: visit.query("chain"),
  };
  const list = await visit.tryAsk<Domains>("/address/{address}/domains", {
    address,
    ...placeIn(visit),
    ...order,
    ...filters,
  });
  const path = `explore/address/${address}`;
  const urlOf: UrlOf = (values) => withQuery(path, { ...filters, ...values });
  return (
    <Card id="names" title="Names" isWide>
      <form class="filters" action={path} method="get" data-at-once>
        <Select name="address_type" label="Role" options={roles} value={filters.address_type} />
        <Select name="include_expired" label="Show" options={ended} value={filters.include_expired} />
        <ChainSelect chains={await visit.chains()} value={filters.chain} />
        <button type="submit" class="quiet">
          Apply
        </button>
      </form>
      {list instanceof Error ? (
        <Unavailable error={list} />
      ) : (
        <DomainList
          list={list}
          first={firstIn(visit, list)}
          order={order}
          urlOf={urlOf}
          now={now}
          caption="Names of the address"
          what="names"
          ofAddress={address}
          empty="No names."
        />
      )}
    </Card>
  );
}
