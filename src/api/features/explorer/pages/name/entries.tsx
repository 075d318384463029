import type { Child } from "hono/jsx";
import { AddressLink, Halves, HEXADECIMAL } from "../../parts/hash.tsx";
import { inDollars, inEth, inTokens } from "../../parts/price.ts";
import { LongText } from "../../parts/text.tsx";
import { Time } from "../../parts/time.tsx";
import type { DomainEvent, OwnershipPeriod, Period, Registration } from "../../replies.ts";
import { type Before, beforeEach } from "./before.ts";
import { coinName } from "./coins.ts";
import { LogFields } from "./logFields.tsx";

export type Kind = "owner" | "resolver" | "registration" | "record" | "log";

/** One entry of a name's timeline. Ends by time alone have no block and no transaction. */
export type Entry = {
  kind: Kind;
  title: string;
  detail: Child;
  at: number | null;
  block: number | null;
  /** The chain of the block, where the answer names one. */
  chain?: string | undefined;
  transaction: string | null;
  /** Order within a block. */
  order: number;
};

const ends = {
  grace_end: "The grace period ended",
  wrapper_expiry: "The NameWrapper token expired",
  expiry: "The name expired",
  no_registration: "The registration ended",
} as const;

/** A period as the entry of its beginning, and where only time ended it, as one of its end. */
function entriesOfPeriod(
  period: Period,
  begin: { kind: Kind; title: string; detail: Child; order: number },
): Entry[] {
  const beginning = {
    ...begin,
    at: period.from_timestamp,
    block: period.from_block,
    chain: period.chain,
    transaction: period.from_tx,
  };
  if (period.ended_by === undefined || period.to_timestamp === null) return [beginning];
  const end: Entry = {
    kind: begin.kind,
    title: ends[period.ended_by],
    order: begin.order,
    detail: (
      <>
        <AddressLink address={period.address} /> is no longer the owner
      </>
    ),
    at: period.to_timestamp,
    block: null,
    transaction: null,
  };
  return [beginning, end];
}

const layers = {
  registry: "in the registry",
  registrar: "in the registrar",
  wrapper: "in the NameWrapper",
  token: "by an ENSv2 token",
} as const;

export const entriesOfOwners = (periods: readonly OwnershipPeriod[]): Entry[] =>
  periods.flatMap((period, order) =>
    entriesOfPeriod(period, {
      kind: "owner",
      title: "New owner",
      order,
      detail: (
        <>
          <AddressLink address={period.address} /> <span class="faint">{layers[period.reason]}</span>
        </>
      ),
    }),
  );

export const entriesOfResolvers = (periods: readonly Period[]): Entry[] =>
  periods.flatMap((period, order) =>
    entriesOfPeriod(period, {
      kind: "resolver",
      title: "New resolver",
      order,
      detail: <AddressLink address={period.address} />,
    }),
  );

type Purchases = { registrations: readonly Registration[]; renewals: readonly Registration[] };

/** Registrations and renewals; their times are those of the logs of the same transactions. */
export function entriesOfPurchases(
  { registrations, renewals }: Purchases,
  logs: readonly DomainEvent[],
): Entry[] {
  const times = new Map(logs.map((log) => [log.transaction_hash, log.block_timestamp]));
  const entryOf =
    (title: string) =>
    (purchase: Registration, order: number): Entry => ({
      kind: "registration",
      title: kindTitles[purchase.kind ?? "registered"] ?? title,
      order,
      detail: <Purchase {...purchase} />,
      at: times.get(purchase.transaction_hash) ?? null,
      block: purchase.block_number,
      chain: purchase.chain,
      transaction: purchase.transaction_hash,
    });
  return [...registrations.map(entryOf("Registered")), ...renewals.map(entryOf("Renewed"))];
}

/** How a registry of ENSv2 got a name, where it was not sold. */
const kindTitles: Partial<Record<NonNullable<Registration["kind"]>, string>> = {
  migrated: "Migrated from ENSv1",
  reserved: "Reserved in ENSv2",
};

const Purchase = ({
  cost_eth,
  cost_usd,
  cost_is_upper_bound,
  payment,
  expiry_timestamp,
  owner_address,
}: Registration) => (
  <>
    {owner_address !== null && (
      <>
        by <AddressLink address={owner_address} />{" "}
      </>
    )}
    {cost_eth !== null && `for ${cost_is_upper_bound ? "at most " : ""}${inEth(cost_eth)}`}
    <span class="faint">{inDollars(cost_usd)}</span>
    {payment !== undefined && `for ${inTokens(payment)}`}
    {expiry_timestamp !== null && (
      <>
        {" "}
        until <Time at={Number(expiry_timestamp)} day />
      </>
    )}
  </>
);

/**
 * Resolver logs of the name: texts, addresses and contenthash with their previous value, other logs by their event's name.
 *
 * @param isWhole whether these are all logs
 */
export function entriesOfRecords(logs: readonly DomainEvent[], isWhole: boolean): Entry[] {
  const ofResolvers = logs.filter(
    ({ contract, event_type }) => /^(ENSV2_)?RESOLVER/.test(contract) && event_type !== SECOND_LOG,
  );
  const before = beforeEach(ofResolvers, isWhole);
  return ofResolvers.map((log, order) => entryOfRecord(log, { order, before: before.get(log) }));
}

/** Resolvers log an Ethereum address twice: as one of all coins, and so. */
const SECOND_LOG = "AddrChanged";

type Placed = { order: number; before: Before | undefined };

function entryOfRecord(log: DomainEvent, { order, before }: Placed): Entry {
  const entry = { ...whereOf(log), kind: "record" as const, order };
  if (log.key !== undefined) {
    const title = log.value === "" ? "Text cleared" : "Text set";
    return { ...entry, title, detail: <Change name={log.key} value={log.value} before={before} /> };
  }
  if (log.coin_type !== undefined) {
    const name = coinName(log.coin_type);
    return {
      ...entry,
      title: "Address set",
      detail: <Change name={name} value={log.address} before={before} isMono />,
    };
  }
  if (log.contenthash !== undefined)
    return {
      ...entry,
      title: "Contenthash set",
      detail: <Change name={null} value={log.contenthash} before={before} isMono />,
    };
  return { ...entry, title: log.event_type, detail: <LogFields log={log} /> };
}

const whereOf = ({ block_timestamp, block_number, chain, transaction_hash }: DomainEvent) => ({
  at: block_timestamp,
  block: block_number,
  chain,
  transaction: transaction_hash,
});

type ChangeProps = {
  name: string | null;
  value: string | undefined;
  before: Before | undefined;
  isMono?: true;
};

/** A record with its old and its new value. */
const Change = ({ name, value, before, isMono }: ChangeProps) => (
  <span class={isMono ? "change mono" : "change"}>
    {name !== null && (
      <span class="mono">
        <LongText text={name} />
      </span>
    )}
    <Old before={before} />
    <span class="faint">
      <span aria-hidden="true">→</span>
      <span class="unseen">then</span>
    </span>
    {value === undefined ? (
      <span class="faint">not in the log</span>
    ) : value === "" ? (
      <span class="faint">empty</span>
    ) : (
      <ins>
        <Written text={value} />
      </ins>
    )}
  </span>
);

const Old = ({ before = "not known" }: { before: Before | undefined }) => {
  if (before === "nothing" || before === "not known") return <span class="faint">{before}</span>;
  if (before.value === "") return <span class="faint">empty</span>;
  return (
    <del>
      <Written text={before.value} />
    </del>
  );
};

const Written = ({ text }: { text: string }) =>
  HEXADECIMAL.test(text) ? <Halves value={text} /> : <LongText text={text} />;

/** Every log as the contracts wrote it. */
export const entriesOfLogs = (logs: readonly DomainEvent[]): Entry[] =>
  logs.map((log, order) => ({
    ...whereOf(log),
    kind: "log",
    order,
    title: log.event_type,
    detail: <LogFields log={log} />,
  }));
