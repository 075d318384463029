import type { Child } from "hono/jsx";
import { Card, Empty, Facts, NotFoundOut, Unavailable } from "../../parts/card.tsx";
import { Transaction } from "../../parts/hash.tsx";
import { NameLink } from "../../parts/name.tsx";
import { ItemTable } from "../../parts/table.tsx";
import type { HistoryTotal, PrimaryNameEntry, Unresolved } from "../../replies.ts";
import type { AddressView } from "./view.ts";

type Reply = {
  current?: { primary_name: string | null; display?: string; registrar: string | null };
  history: PrimaryNameEntry[];
  unresolved?: Unresolved;
} & HistoryTotal;

/** Claims that one page shows, newest first. The JSON has all. */
const MAX_CLAIMS = 100;

/** The primary name as it resolves, and every claim, newest first. */
export async function primaryNamesOfAddress({ visit, address }: AddressView): Promise<Child> {
  const reply = await visit.tryAsk<Reply>("/address/{address}/primary-name", {
    address,
    history: "true",
    partial: "true",
  });
  if (reply instanceof Error) return <Unavailable error={reply} />;
  const newestFirst = reply.history.toReversed();
  return (
    <div class="cards">
      <Card id="current" title="Verified">
        {reply.unresolved && <NotFoundOut unresolved={reply.unresolved} />}
        {reply.current && <Current {...reply.current} />}
      </Card>
      <Card id="claims" title="All claims" isWide>
        <p class="faint">A claim is unverified until the name resolves back to the address.</p>
        {newestFirst.length === 0 ? (
          <Empty>This address never claimed a name.</Empty>
        ) : (
          <ItemTable
            caption="All claims"
            items={newestFirst.slice(0, MAX_CLAIMS)}
            columns={[
              { title: "Name", cell: (claim) => <Claimed claim={claim} /> },
              {
                title: "Chain",
                cell: ({ chain, registrar }) => `${chain}, ${registrars[registrar] ?? registrar}`,
              },
              {
                title: "Block",
                cell: (claim) => claim.block_number.toLocaleString("en"),
                isNumber: true,
              },
              {
                title: "Transaction",
                cell: (claim) => <Transaction hash={claim.transaction_hash} chain={claim.chain} />,
              },
            ]}
          />
        )}
      </Card>
    </div>
  );
}

const Current = ({ primary_name, display, registrar }: NonNullable<Reply["current"]>) =>
  primary_name === null ? (
    <Empty>No primary name resolves to this address.</Empty>
  ) : (
    <Facts
      facts={[
        ["Primary name", <NameLink name={primary_name} display={display} />],
        registrar !== null && ["Set in", registrars[registrar] ?? registrar],
      ]}
    />
  );

const registrars: Record<string, string> = {
  REVERSE_REGISTRAR: "the reverse record of this chain",
  DEFAULT_REVERSE_REGISTRAR: "the default for all chains",
  L2_REVERSE_REGISTRAR: "the reverse record of this chain",
};

const Claimed = ({ claim }: { claim: PrimaryNameEntry }) => {
  if (claim.name !== null) return <NameLink name={claim.name} />;
  return <span class="faint">{claim.is_name_known === false ? "name not in the event" : "cleared"}</span>;
};
