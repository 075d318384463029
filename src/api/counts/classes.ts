import { ADDR_REVERSE_NODE, ETH_NODE } from "../../ens/name.ts";
import { PARENT_CANNOT_CONTROL } from "../../ens/wrapper.ts";
import { GRACE_SECONDS, PREMIUM_END_SECONDS } from "../rules/availability.ts";

/*
 * Counts of names that are kept up to date with every write, so that nobody has to count a million rows to know how many
 * there are. They hold for one moment, `figures_state.taken_at`: what only time changes is put right by whoever reads,
 * from the few rows that came to an end since, and from time to time by moving the moment.
 *
 * These conditions are those of `query/lifetime.ts`, `query/ownership.ts` and `query/counted.ts`; a test holds the two
 * against each other.
 */

const DAY = 86_400;

/** Counts that were made by other rules are not read, but made anew: to be raised with each change of what is counted. */
export const RULES = 2;

/** What a name counts as: the key of `figures_names`. */
export const classColumns = [
  "chain_id",
  "is_eth",
  "is_counted",
  "has_parent",
  "is_owned",
  "is_label_known",
  "label_length",
  "phase",
  "expires_within",
  "is_wrapped",
] as const;

/** What a name with a resolver counts as, for the resolver: the key of `figures_resolvers`. */
export const resolverColumns = [
  "chain_id",
  "resolver",
  "is_eth",
  "phase",
  "expires_within",
  "is_wrapped",
] as const;

/** What a name with an expiry counts as, for the day (UTC) of it: the key of `figures_expiries`. */
export const expiryColumns = ["chain_id", "expiry_day", "is_eth", "is_wrapped"] as const;

/** Expiries on chain have no limit, the times that can be asked for do: later days than any of them are one. */
const LAST_DAY = 20_000_000_000;

/** The day of an expiry, counted from 1 January 1970; null without one, which `least` would pass over. */
const expiryDay = `case when d.expiry_timestamp is not null
    then least(div(d.expiry_timestamp, ${DAY}), ${LAST_DAY})::bigint end`;

const isEth = `(d.parent_node is not distinct from '${ETH_NODE}')`;

const isLapsed = (at: string) =>
  `(d.is_wrapped and d.wrapper_expiry_timestamp < ${at} and (d.wrapper_fuses & ${PARENT_CANNOT_CONTROL}) <> 0)`;

/** Where a name is in its life. Of a .eth name without expiry nobody knows a registration; others need none. */
const phase = (at: string) => `case
    when d.expiry_timestamp is null then 'unlimited'
    when d.expiry_timestamp > ${at} then 'registered'
    when not ${isEth} then 'over'
    when d.expiry_timestamp >= ${at} - ${GRACE_SECONDS} then 'grace'
    when d.expiry_timestamp > ${at} - ${PREMIUM_END_SECONDS} then 'premium'
    else 'ended' end`;

const isActive = (at: string) =>
  `(case when d.expiry_timestamp is null then not ${isEth}
    when ${isEth} then d.expiry_timestamp >= ${at} - ${GRACE_SECONDS} else d.expiry_timestamp > ${at} end)`;

/**
 * What a row `d` of `domains` counts as at a moment. `owner`, `parent_node`, `resolver` and `expiry_day` are for the
 * counts by these; `is_held` says that an address owns the name now.
 */
export const classOf = (at: string): string => `
  d.chain_id, ${isEth} as is_eth, d.parent_node is distinct from '${ADDR_REVERSE_NODE}' as is_counted,
  d.parent_node is not null as has_parent, d.effective_owner_address is not null as is_owned, d.is_label_known,
  coalesce(d.label_length, -1) as label_length, ${phase(at)} as phase,
  case when d.expiry_timestamp <= ${at} then 0 when d.expiry_timestamp <= ${at} + ${30 * DAY} then 30
    when d.expiry_timestamp <= ${at} + ${90 * DAY} then 90 else 0 end as expires_within,
  d.is_wrapped and not ${isLapsed(at)} as is_wrapped,
  d.parent_node, d.resolver, ${expiryDay} as expiry_day,
  case when ${isLapsed(at)} then coalesce(d.registrar_owner, d.registry_owner) else d.effective_owner_address end as owner,
  d.parent_node is distinct from '${ADDR_REVERSE_NODE}' and d.effective_owner_address is not null and ${isActive(at)} as is_held`;

/** Times after its expiry, in seconds, at which a name may come to count as something else. */
const turns = [0n, GRACE_SECONDS, PREMIUM_END_SECONDS, BigInt(-30 * DAY), BigInt(-90 * DAY)];

/**
 * True for the rows `d` that may count as something else at one moment than at the other, whichever is the earlier, and
 * for some more: who compares finds no difference in those.
 */
export function mayDiffer(one: string, other: string): string {
  const within = (column: string, after: bigint) =>
    `${column} between least(${one}, ${other}) - ${after + 1n} and greatest(${one}, ${other}) - ${after - 1n}`;
  return [
    ...turns.map((after) => within("d.expiry_timestamp", after)),
    `d.is_wrapped and ${within("d.wrapper_expiry_timestamp", 0n)}`,
  ]
    .map((range) => `(${range})`)
    .join(" or ");
}
