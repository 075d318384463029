import type pg from "pg";
import { account, DAY, NOW, STATIC_RESOLVER, STRANGE_RESOLVER } from "./rows.ts";

/*
 * The lists of names, with each filter's condition on an item. Properties of all lists and the
 * plans of their statements derive from these, and a filter missing here fails a test. A list
 * takes `sort_dir`, and `sort_by` (of one column, too) unless it is sorted by name.
 */

const owner = account(0xab1e);

/** An item of a list of names. */
export type Item = {
  name: string;
  label: string;
  availability_status: string;
  expiry_timestamp: string | null;
  registered_timestamp?: number | null;
  created_timestamp: number;
  ownership: { is_wrapped: boolean; owner?: string; registry?: string; registrar?: string; wrapper?: string };
  wrapper?: { expiry_timestamp: string };
  resolver?: { address: string };
};

type Meets = (item: Item) => boolean;

export type NameList = {
  /** The declared path, and the path of one such list. */
  operation: string;
  path: string;
  /** For each filter, values (with other parameters if needed) and their meaning. */
  filters: Record<string, Record<string, Meets>>;
};

const isOf = (wanted: string, address: string | undefined) => address?.toLowerCase() === wanted;
const expiryOf = ({ expiry_timestamp }: Item) =>
  expiry_timestamp === null ? null : Number(expiry_timestamp);
const expires = (isMet: (time: number) => boolean): Meets => {
  return (item) => {
    const time = expiryOf(item);
    return time !== null && isMet(time);
  };
};
const isIn = (...states: string[]): Meets => {
  return ({ availability_status }) => states.includes(availability_status);
};
const isUnderEth: Meets = ({ name }) => name.split(".").length === 2;
const isOver = isIn("premium", "available");
const all: Meets = () => true;
const none: Meets = () => false;

const q = {
  name1: ({ label }: Item) => label.includes("name1"),
  NAME7: ({ label }: Item) => label.includes("name7"),
};
const times = {
  expiry_from: { [`${NOW}`]: expires((time) => time >= NOW) },
  expiry_to: { [`${NOW}`]: expires((time) => time <= NOW) },
};
const resolver = { [STRANGE_RESOLVER]: ({ resolver }: Item) => isOf(STRANGE_RESOLVER, resolver?.address) };
const states = {
  ...Object.fromEntries(["registered", "grace", "premium", "available"].map((one) => [one, isIn(one)])),
  "registered,premium": isIn("registered", "premium"),
};

const search: NameList["filters"] = {
  q,
  search_full_name: { "true&q=name10.eth": ({ name }) => name.includes("name10.eth") },
  availability_status: states,
  min_length: { 6: ({ label }) => label.length >= 6 },
  max_length: { 6: ({ label }) => label.length <= 6 },
  registrar_owner: { [owner]: ({ ownership }) => isOf(owner, ownership.registrar) },
  wrapper_owner: { [owner]: ({ ownership }) => isOf(owner, ownership.wrapper) },
  registry_owner: { [owner]: ({ ownership }) => isOf(owner, ownership.registry) },
  resolver,
  ...times,
  is_wrapped: {
    true: ({ ownership }) => ownership.is_wrapped,
    false: ({ ownership }) => !ownership.is_wrapped,
  },
  protocol: { ensv1: all, ensv2: none },
  parent: { eth: isUnderEth },
  expiry_windows: {
    [`${NOW - 60 * DAY}-${NOW},${NOW + 20 * DAY}-${NOW + 90 * DAY}`]: expires(
      (time) => (time >= NOW - 60 * DAY && time <= NOW) || (time >= NOW + 20 * DAY && time <= NOW + 90 * DAY),
    ),
  },
  expiry_of: {
    [`wrapper&expiry_from=${NOW}`]: ({ ownership, wrapper }) =>
      ownership.is_wrapped && Number(wrapper?.expiry_timestamp) >= NOW,
    [`reservation&expiry_from=${NOW}`]: none,
  },
  chain: { devnet: all },
};

export const nameLists: NameList[] = [
  { operation: "/search-domains", path: "/search-domains?", filters: search },
  {
    operation: "/domain/{name}/subdomains",
    path: "/domain/eth/subdomains?",
    filters: {
      q,
      include_expired: { false: (item) => !isOver(item) },
      include_ownerless: { false: ({ ownership }) => ownership.owner !== undefined },
    },
  },
  ...["effective_owner", "registry_owner", "any,former_owner,resolver"].map(
    (relation): NameList => ({
      operation: "/address/{address}/domains",
      path: `/address/${owner}/domains?include_expired=true&address_type=${relation}`,
      filters: {
        chain: { devnet: all },
        protocol: {
          ensv1: all,
          ensv2: none,
          wrapper: ({ ownership }) => ownership.is_wrapped,
        },
        parent: { eth: isUnderEth },
        q: { name1: ({ name }) => name.includes("name1") },
        availability_status: states,
        migrated: { true: none, false: all },
        ...times,
        resolver,
      },
    }),
  ),
  {
    operation: "/resolver/{address}/names",
    path: `/resolver/${STATIC_RESOLVER}/names?`,
    filters: { chain: { devnet: all } },
  },
];

/**
 * Parameters that are not filters: they choose a page, an order or an item's fields. Those of a
 * list's own path are given.
 */
export const notFilters = [
  ...["page", "cursor", "page_size", "total", "sort_by", "sort_dir", "include"],
  ...["unknown_labels"],
];

/** Gives the rows of `fillWithMany` one owner of most names, and every state of a name's life. */
export async function fillLists(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update domains set is_label_known = true, registered_timestamp = case when i % 9 <> 0 then 1600000000 + i % 13 end,
       registry_owner = case when is_wrapped or i % 5 = 0 then registry_owner else $1 end,
       registrar_owner = case when is_wrapped or i % 7 = 0 or registrar_owner is null then registrar_owner else $1 end,
       wrapper_owner = case when is_wrapped then case when i % 4 = 0 then wrapper_owner else $1 end end,
       wrapper_expiry_timestamp = case when is_wrapped then ${NOW + 10 * DAY} + i end, expiry_timestamp = expiry,
       registrar_expiry_timestamp = case when registrar_owner is not null then expiry end
     from (select node as of_node, created_block_number as i, case when registrar_owner is not null then
         ${NOW} + (array[10, 60, -30, -100, -200, -1])[1 + created_block_number % 6] * ${DAY} + created_block_number % 3 end as expiry
       from domains) as name where of_node = node`,
    [owner],
  );
  await pool.query(
    "update domains set effective_owner_address = coalesce(wrapper_owner, registrar_owner, registry_owner)",
  );
}
