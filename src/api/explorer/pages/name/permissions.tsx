import type { Child } from "hono/jsx";
import { Card, Empty, Facts, Unavailable } from "../../parts/card.tsx";
import { AddressLink, Transaction } from "../../parts/hash.tsx";
import { NameLink, nameUrl } from "../../parts/name.tsx";
import { withQuery } from "../../parts/pager.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { NamePermissions, PermissionItem } from "../../replies.ts";
import type { NameView } from "./view.ts";

const kindsInWords: Record<PermissionItem["kind"], string> = {
  owner: "Owner",
  token_approval: "Approved for the token",
  operator: "Operator of the owner",
  record_delegate: "May write records",
  role: "Roles for the name",
  root_role: "Roles for the contract",
  parent_owner: "Owner of the name above",
  parent_approval: "Approved for the token above",
  parent_operator: "Operator of the owner above",
  parent_role: "Roles for the name above",
};

const inWords = (word: string): string => word.replaceAll("_", " ");

/** Who may change the name. */
export async function permissionsOfName({ visit, domain, now }: NameView): Promise<Child> {
  const list = await visit.tryAsk<NamePermissions>("/domain/{name}/permissions", {
    ...{ name: domain.query, cursor: visit.query("cursor") },
  });
  if (list instanceof Error) return <Unavailable error={list} />;
  const urlOf = (cursor: string) => withQuery(nameUrl(domain.name), { view: "permissions", cursor });
  return (
    <div class="cards">
      <Card
        id="permissions"
        title="Who may change it"
        aside={<span class="count">{(list.total ?? 0).toLocaleString("en")}</span>}
        isWide
      >
        {list.permissions.length === 0 ? (
          <Empty>The index knows of no account that may change the name.</Empty>
        ) : (
          <Table
            caption="Accounts that may change the name"
            columns={["Account", "As", "Layer", "May", "Since"].map((title) => ({ title }))}
          >
            {list.permissions.map((one) => (
              <Row one={one} now={now} />
            ))}
          </Table>
        )}
        {list.next_cursor && (
          <p class="actions">
            <a class="button" href={urlOf(list.next_cursor)} rel="next">
              Next
            </a>
          </p>
        )}
      </Card>
      <Card id="powers" title="Fuses and the name above" isWide>
        <Facts
          facts={[
            list.fuses !== undefined && [
              "Can no more be done",
              list.fuses.can_no_more.join("; ") || "nothing",
            ],
            list.parent !== null && ["Name above", <NameLink name={list.parent.name} />],
            list.parent !== null && ["Its owners may", list.parent.may.map(inWords).join(", ") || "nothing"],
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

const Row = ({ one, now }: { one: PermissionItem; now: number }) => (
  <tr>
    <td>
      <AddressLink address={one.address} />
    </td>
    <td>{kindsInWords[one.kind]}</td>
    <td>{inWords(one.layer)}</td>
    <td>
      {one.in_force === true
        ? (one.roles ?? one.may).map(inWords).join(", ")
        : `${one.in_force === null ? "not known" : "not in force"}${one.reason ? ` (${inWords(one.reason)})` : ""}`}
    </td>
    <td>
      {one.block_timestamp === undefined ? "" : <Time at={one.block_timestamp} now={now} />}{" "}
      {one.transaction_hash === undefined ? "" : <Transaction hash={one.transaction_hash} />}
    </td>
  </tr>
);
