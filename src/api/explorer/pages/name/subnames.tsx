import type { Child } from "hono/jsx";
import { Card, Empty, Unavailable } from "../../parts/card.tsx";
import { nameUrl } from "../../parts/name.tsx";
import { Pager, withQuery } from "../../parts/pager.tsx";
import { sortable } from "../../parts/sort.ts";
import { DomainTable } from "../../parts/table.tsx";
import type { DomainItem, Paged } from "../../replies.ts";
import type { NameView } from "../name.tsx";

/** Names right under the name. */
export async function subnamesOfName({ visit, domain, now }: NameView): Promise<Child> {
  const order = { sort_by: visit.query("sort_by"), sort_dir: visit.query("sort_dir") };
  const list = await visit.tryAsk<{ results: DomainItem[] } & Paged>("/domain/{name}/subdomains", {
    name: domain.query,
    page: visit.query("page"),
    ...order,
  });
  if (list instanceof Error) return <Unavailable error={list} />;
  const urlOf = (values: Record<string, string | number | undefined>) =>
    withQuery(nameUrl(domain.name), { view: "subnames", ...values });
  return (
    <Card
      id="subnames"
      title="Subnames"
      aside={<span class="count">{list.total.toLocaleString("en")}</span>}
      isWide
    >
      {list.results.length === 0 ? (
        <Empty>No event ever created a name under this one.</Empty>
      ) : (
        <DomainTable
          caption="Subnames"
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
      <Pager list={list} what="subnames" urlOf={(page) => urlOf({ ...order, page })} />
    </Card>
  );
}
