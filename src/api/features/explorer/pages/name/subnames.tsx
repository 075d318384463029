import type { Child } from "hono/jsx";
import { Card, MayLack, Unavailable } from "../../parts/card.tsx";
import { DomainList } from "../../parts/domainList.tsx";
import { nameUrl } from "../../parts/name.tsx";
import { firstIn, placeIn, withQuery } from "../../parts/pager.tsx";
import { orderOf, type UrlOf } from "../../parts/sort.ts";
import type { Domains } from "../../replies.ts";
import type { NameView } from "./view.ts";

/** Names right under the name. */
export async function subnamesOfName({ visit, domain, now }: NameView): Promise<Child> {
  const order = orderOf(visit);
  const list = await visit.tryAsk<Domains>("/domain/{name}/subdomains", {
    name: domain.query,
    ...placeIn(visit),
    ...order,
  });
  if (list instanceof Error) return <Unavailable error={list} />;
  const urlOf: UrlOf = (values) => withQuery(nameUrl(domain.name), { view: "subnames", ...values });
  return (
    <Card
      id="subnames"
      title="Subnames"
      aside={<span class="count">{list.total.toLocaleString("en")}</span>}
      isWide
    >
      {list.is_incomplete && <MayLack />}
      <DomainList
        list={list}
        first={firstIn(visit, list)}
        order={order}
        urlOf={urlOf}
        now={now}
        caption="Subnames"
        what="subnames"
        empty={list.is_incomplete ? "No subnames are indexed." : "This name has no subnames."}
      />
    </Card>
  );
}
