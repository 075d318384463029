import type { Child } from "hono/jsx";
import { Card, Empty, Facts, Unavailable } from "../../parts/card.tsx";
import { AddressLink, Transaction } from "../../parts/hash.tsx";
import { NameLink, nameUrl } from "../../parts/name.tsx";
import { withQuery } from "../../parts/pager.tsx";
import { ItemTable } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { NamePermissions, PermissionItem } from "../../replies.ts";
import type { NameView } from "./view.ts";

const kindsInWords: Record<PermissionItem["kind"], string> = {
  owner: "Owner",
  token_approval: "Approved for the token",
  operator: "Operator of the owner",
  record_delegate: "Record delegate",
  role: "Roles for the name",
  root_role: "Roles for the contract",
  parent_owner: "Owner of the parent name",
  parent_approval: "Approved for the parent token",
  parent_operator: "Operator of the parent owner",
  parent_role: "Roles for the parent name",
};

const inWords = (word: string): string => word.replaceAll("_", " ");

/** Who may change the name. */
export async function permissionsOfName({ visit, domain, now }: NameView): Promise<Child> {
  const list = await visit.tryAsk<NamePermissions>("/domain/{name}/permissions", {
    name: domain.query,
    cursor: visit.query("cursor"),
  });
  if (list instanceof Error) return <Unavailable error={list} />;
  const urlOf = (cursor: string) => withQuery(nameUrl(domain.name), { view: "permissions", cursor });
  return (
    <div class="cards">
      <Card
        id="permissions"
        title="Who can change this name"
        aside={<span class="count">{(list.total ?? 0).toLocaleString("en")}</span>}
        isWide
      >
        {list.permissions.length === 0 ? (
          <Empty>No accounts that can change this name are indexed.</Empty>
        ) : (
          <ItemTable
            caption="Accounts that can change this name"
            items={list.permissions}
            columns={[
              { title: "Account", cell: (one) => <AddressLink address={one.address} /> },
              { title: "Role", cell: (one) => kindsInWords[one.kind] },
              { title: "Layer", cell: (one) => inWords(one.layer) },
              { title: "Can", cell: powersOf },
              { title: "Since", cell: (one) => <Since one={one} now={now} chain={domain.chain} /> },
            ]}
          />
        )}
        {list.next_cursor && (
          <p class="actions">
            <a class="button" href={urlOf(list.next_cursor)} rel="next">
              Next
            </a>
          </p>
        )}
      </Card>
      <Card id="powers" title="Fuses and parent name" isWide>
        <Facts
          facts={[
            list.fuses !== undefined && [
              "No longer possible",
              list.fuses.can_no_more.join("; ") || "nothing",
            ],
            list.parent !== null && ["Parent name", <NameLink name={list.parent.name} />],
            list.parent !== null && ["Its owners can", list.parent.may.map(inWords).join(", ") || "nothing"],
          ]}
        />
      </Card>
      <Card id="not-covered" title="Not covered" isWide>
        <ul>
          {list.not_covered.map(({ description }) => (
            <li>{description}.</li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

function powersOf({ in_force: inForce, roles, may, reason }: PermissionItem): string {
  if (inForce === true) return (roles ?? may).map(inWords).join(", ");
  return `${inForce === null ? "unknown" : "not in force"}${reason ? ` (${inWords(reason)})` : ""}`;
}

const Since = ({ one: { block_timestamp: at, transaction_hash: hash }, now, chain }: SinceProps) => (
  <>
    {at === undefined ? "" : <Time at={at} now={now} day />}{" "}
    {hash === undefined ? "" : <Transaction hash={hash} chain={chain} />}
  </>
);

type SinceProps = { one: PermissionItem; now: number; chain: string | undefined };
