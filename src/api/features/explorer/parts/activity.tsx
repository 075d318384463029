import type { Child } from "hono/jsx";
import type { Activity } from "../replies.ts";
import { AddressLink, Transaction } from "./hash.tsx";
import { ChainMark, NameLink } from "./name.tsx";
import { inDollars, inEth, inTokens } from "./price.ts";
import { Time } from "./time.tsx";

const words: Record<Activity["type"], string> = {
  registration: "Registered",
  renewal: "Renewed",
  transfer: "Transferred",
  migration: "Moved to ENSv2",
  wrap: "Wrapped",
  unwrap: "Unwrapped",
  primary_name: "Primary name",
};

/** What happened, newest first. */
export const ActivityList = ({ entries, now }: { entries: readonly Activity[]; now: number }) => (
  <ol class="feed">
    {entries.map((entry) => (
      <li>
        <span class={`kind ${entry.type}`}>{words[entry.type]}</span>
        <span class="what">
          {entry.name === null ? (
            <span class="faint">
              {entry.type === "primary_name" && entry.is_name_known === false
                ? "a name that no event contains"
                : "cleared"}
            </span>
          ) : (
            <NameLink name={entry.name} />
          )}
          {entry.type !== "primary_name" && <ChainMark chain={entry.chain} />}
          <span class="faint">{detailOf(entry)}</span>
        </span>
        <span class="when">
          <Time at={entry.block_timestamp} now={now} day />
        </span>
        <Transaction hash={entry.transaction_hash} chain={entry.chain} />
      </li>
    ))}
  </ol>
);

function detailOf(entry: Activity): Child {
  switch (entry.type) {
    case "registration":
    case "renewal":
      return [
        entry.cost_eth === null ? null : inEth(entry.cost_eth) + inDollars(entry.cost_usd),
        entry.payment === undefined ? null : inTokens(entry.payment),
        entry.years ? `${entry.years} year${entry.years === 1 ? "" : "s"}` : null,
      ]
        .filter((part) => part !== null)
        .join(", ");
    case "transfer":
      return (
        <>
          <AddressLink address={entry.from_address} /> to <AddressLink address={entry.to_address} />
        </>
      );
    case "primary_name":
      return (
        <>
          of <AddressLink address={entry.address} />
        </>
      );
    case "migration":
      return entry.owner_address === null ? null : (
        <>
          held by <AddressLink address={entry.owner_address} />
        </>
      );
    default:
      return (
        <>
          by <AddressLink address={entry.owner_address} />
        </>
      );
  }
}
