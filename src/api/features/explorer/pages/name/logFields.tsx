import type { Child } from "hono/jsx";
import { contractInWords } from "../../parts/contract.ts";
import { AddressLink } from "../../parts/hash.tsx";
import { NameLink } from "../../parts/name.tsx";
import { inTokens, weiInEth } from "../../parts/price.ts";
import { LongText } from "../../parts/text.tsx";
import { Time } from "../../parts/time.tsx";
import type { DomainEvent } from "../../replies.ts";
import { coinName } from "./coins.ts";

/** Fields that the entry shows by other means. */
const shownElsewhere = [
  "id",
  "type",
  "event_type",
  "block_number",
  "block_timestamp",
  "transaction_hash",
  "log_index",
  "chain",
  "truncated",
];

/** Fields whose title is not their name in words. */
const titles: Record<string, string> = {
  cost_wei: "cost",
  base_cost_wei: "rent",
  premium_wei: "premium",
  expiry_timestamp: "expiry",
  coin_type: "coin",
  is_foreign: "of another contract",
  ttl: "time to live",
};

const titleOf = (field: string): string =>
  titles[field] ?? field.replace(/_address$/, "").replaceAll("_", " ");

type Value = string | number | boolean | object;

/** A field as a reader knows it: amounts in ether, times as dates, contracts and coins by name. */
function shown(field: string, value: Value, log: DomainEvent): Child {
  const text = String(value);
  if (field.endsWith("_wei")) return weiInEth(text);
  if (field.endsWith("_timestamp")) return <Time at={Number(text)} />;
  if (field === "contract") return contractInWords(text);
  if (field === "coin_type") return `${coinName(text)} (${text})`;
  if (field === "domain") return <NameLink name={text} />;
  if (field === "payment" && log.payment !== undefined) return inTokens(log.payment);
  if (field.endsWith("_address")) return <AddressLink address={text} />;
  if (Array.isArray(value)) return value.map(String).join(", ") || "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return (
    <span class="mono">
      <LongText text={typeof value === "object" ? JSON.stringify(value) : text} />
    </span>
  );
}

/** All that a log says, in words. */
export const LogFields = ({ log }: { log: DomainEvent }) => (
  <dl class="fields">
    {Object.entries(log)
      .filter(([field, value]) => value !== undefined && !shownElsewhere.includes(field))
      .map(([field, value]) => (
        <div>
          <dt>{titleOf(field)}</dt>
          <dd>{shown(field, value as Value, log)}</dd>
        </div>
      ))}
  </dl>
);
