import { ownershipChange, resolverChange } from "ponder:schema";
import type { SQLWrapper } from "drizzle-orm";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { builtOnce } from "../../server/postgres/prepared.ts";
import { type EndColumn, type Ending, endText, type TokenEnd } from "../rules/ends.ts";
import type { Keyset, Position } from "./keyset.ts";
import { orderOfPage, pageColumns, pageOf, readFound, readSection, type Section } from "./list.ts";
import type { Page, SortDirection } from "./page.ts";
import { type Scope, sqlOf } from "./scope.ts";
import { type Changes, spansOf } from "./spanSteps.ts";

/** A period of a name between two changes: an owner, effective or in one layer, or a resolver. */
export type Span = {
  address: Address;
  /** The layer that decided the effective owner. */
  reason: "registry" | "registrar" | "wrapper" | "token" | null;
  /** The event that began the span; null for resolvers, and if time alone began it. */
  eventType: string | null;
  fromTimestamp: number;
  /** Block and transaction are null if time alone began the span. */
  fromBlock: number | null;
  fromTransaction: Hex | null;
  /** Null for the current span. */
  toTimestamp: number | null;
  /** Block and transaction are null for the current span, and if time alone ended it. */
  toBlock: number | null;
  toTransaction: Hex | null;
  /** What ended the span if no event did. */
  endedBy: Ending | null;
};

/** The subject of a history: the effective owner, the owner in one layer, or the resolver. */
type Kind = "owner" | "registry" | "registrar" | "wrapper" | "resolver";

/**
 * Spans of a name until `now` (Unix seconds), oldest first. Spans without an owner or resolver are left out. The owner at each
 * second is the one that `ownersAt` returns for it; a .eth name has no owner after grace.
 */
export const listSpans = (
  db: Db,
  { kind, chains, node, now, tokenEnd }: SpansOf,
  section: Section,
): Promise<Page<Span>> => {
  const of = sqlOf(chains);
  return readSection(section, "asc", (part, direction) =>
    readFound(part, spanKeys(direction), (slice) =>
      builtOnce(
        db,
        of.title(`spans ${kind} ${chains.ids} ${slice.title}`),
        () =>
          db
            .select(columns)
            .from(
              pageOf(sql`${spansOf(changes[kind], of)} select * from span where address is not null`, slice),
            )
            .orderBy(orderOfPage),
        {
          ...slice.values,
          node,
          now,
          nonOwners: [...chains.ensv2.nonOwners],
          tokenAfter: tokenEnd?.after ?? null,
          tokenEnding: tokenEnd?.ending ?? null,
        },
      ),
    ),
  );
};

type SpansOf = {
  node: Hex;
  chains: Scope;
  now: number;
} & (
  | { kind: Exclude<Kind, "owner">; tokenEnd?: undefined }
  /** When an ENSv2 token ends for its holder. */
  | { kind: Kind; tokenEnd: TokenEnd }
);

const nothing = sql`null::text`;

const never = { at: sql`null::numeric`, address: nothing, reason: nothing };

const byResolver: Changes = {
  table: resolverChange,
  place: sql`${resolverChange.blockNumber}, ${resolverChange.logIndex}`,
  address: resolverChange.resolver,
  reason: nothing,
  eventType: nothing,
  expiriesBefore: { entry: sql`null::numeric`, path: sql`null::numeric` },
  expires: never,
  endsWithGrace: false,
};

const { registryOwner, registrarOwner, wrapperOwner, ownerAddress, previousExpiryTimestamp } =
  ownershipChange;

const ownersBy = (
  address: SQLWrapper,
  { reason = nothing, expires = never, endsWithGrace = false }: Partial<Changes>,
): Changes => ({
  table: ownershipChange,
  place: sql`${ownershipChange.blockNumber}, ${ownershipChange.logIndex}, ${ownershipChange.ordinal}`,
  address,
  reason,
  eventType: ownershipChange.eventType,
  expiriesBefore: { entry: previousExpiryTimestamp, path: ownershipChange.previousPathExpiryTimestamp },
  expires,
  endsWithGrace,
});

const tokenColumns: Partial<Record<EndColumn, string>> = {
  wrapperFuses: "wrapper_fuses",
  wrapperExpiryTimestamp: "wrapper_expiry_timestamp",
};

/** When the token in a change row ends. */
const tokenEnd = sql.raw(endText("wrapper_expiry", (name) => tokenColumns[name] ?? unknown(name)));

const unknown = (name: string): never => {
  throw new Error(`Changes of ownership have no column for ${name}`);
};

/** Some ENSv2 contracts hold ENSv1 names without being their owners. */
const effectiveOwner = sql`(case when not ${ownerAddress} = any(${sql.placeholder("nonOwners")}::text[]) then ${ownerAddress} end)`;

/** Only the effective owner depends on ENSv2. Each ENSv1 contract continues as before. */
const changes: Record<Kind, Changes> = {
  owner: ownersBy(effectiveOwner, {
    reason: sql`${ownershipChange.reason}::text`,
    // After that, the next layer decides.
    expires: {
      at: sql`case when ${ownershipChange.reason} = 'wrapper' then ${tokenEnd} end`,
      address: sql`coalesce(${registrarOwner}, ${registryOwner})`,
      reason: sql`case when ${registrarOwner} is not null then 'registrar' when ${registryOwner} is not null then 'registry' end`,
    },
    endsWithGrace: true,
  }),
  registry: ownersBy(registryOwner, {}),
  registrar: ownersBy(registrarOwner, { endsWithGrace: true }),
  wrapper: ownersBy(wrapperOwner, { expires: { ...never, at: tokenEnd } }),
  resolver: byResolver,
};

const columns = {
  address: sql<Address>`address`,
  reason: sql<Span["reason"]>`reason`,
  eventType: sql<string | null>`event_type`,
  fromTimestamp: sql<number>`from_time::float8`,
  fromBlock: sql<number | null>`from_block`,
  fromTransaction: sql<Hex | null>`from_transaction`,
  toTimestamp: sql<number | null>`to_time::float8`,
  toBlock: sql<number | null>`to_block`,
  toTransaction: sql<Hex | null>`to_transaction`,
  endedBy: sql<Ending | null>`ended_by`,
  ...pageColumns,
};

/** The order of spans, by the columns of a subquery: the number of the change, then its end by time. */
export const spanKeys = (direction: SortDirection = "asc"): Keyset => [
  { column: sql`listed.number`, kind: "bigint", direction },
  { column: sql`listed.from_time`, kind: "decimal", direction },
];

/** A position after the end of every list of spans. */
const END: Position = [String(2n ** 63n - 1n), "0"];

/** Splits a page of several histories of a name. Its position is the concatenation of each history's position. */
export const sectionsOf = <Of extends Kind>(section: Section, kinds: readonly Of[]): Record<Of, Section> =>
  Object.fromEntries(
    kinds.map((kind, i) => {
      const after = "after" in section && section.after?.slice(i * END.length, (i + 1) * END.length);
      return [kind, after ? { ...section, after } : section];
    }),
  ) as Record<Of, Section>;

/** The position of the next page of all histories; null after the last page of each. */
export const togetherNext = (pages: readonly Page<Span>[]): Position | null =>
  pages.some(({ next }) => next !== null) ? pages.flatMap(({ next }) => next ?? END) : null;
