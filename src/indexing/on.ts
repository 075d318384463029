import { type Context, type EventNames, ponder } from "ponder:registry";
import type { GetEventArgs, ParseAbiItem } from "viem";
import { type Need, neededTransactions } from "./neededTransactions.ts";
import { type Ahead, declareAhead } from "./rowsAhead.ts";
import { startBlock } from "./write/blockStart.ts";
import { addressesOf } from "./write/contracts.ts";
import { type Entry, familyOf } from "./write/families.ts";
import { type HandlerArgs, type LogEvent, logRefOf } from "./write/logRef.ts";
import type { NeededTransaction } from "./write/missingTransactions.ts";

/** The events of an entry of the configuration, by name; by signature where several have one name. */
export type EventIn<Of extends Entry, Name = EventNames> = Name extends `${Of}:${infer Event}`
  ? Event
  : never;

/** The events that each of some entries has. */
type SharedEvent<Of extends Entry> = {
  [Name in EventIn<Of>]: [`${Of}:${Name}`] extends [EventNames] ? Name : never;
}[EventIn<Of>];

type Abi<Of extends Entry> = Context["contracts"][Of]["abi"];

/** Events of an ABI by name, or by signature if several share a name. */
type AbiEventNamed<Events, Name extends string> = [Extract<Events, { name: Name }>] extends [never]
  ? Extract<Events, ParseAbiItem<`event ${Name}`>>
  : Extract<Events, { name: Name }>;

/**
 * An event without its transaction, which past logs do not have. Ponder's own `Event` parses every name as if it were a signature,
 * which takes half the time of a type check.
 */
type EventNamed<Of, Name extends string> = Of extends Entry
  ? LogEvent & {
      args: GetEventArgs<
        Abi<Of>,
        string,
        { EnableUnion: false; IndexedOnly: false; Required: true },
        AbiEventNamed<Extract<Abi<Of>[number], { type: "event" }>, Name>
      >;
    }
  : never;

/** Handlers of the events in the table `neededTransactions` get the transaction, null if it comes later; others none. */
type TransactionOf<Name> = Name extends keyof typeof neededTransactions
  ? NeededTransaction | null | undefined
  : undefined;

/** What a handler of an event of some entries gets. */
export type ArgsOf<Of extends Entry, Name extends EventIn<Of>> = HandlerArgs<EventNamed<Of, Name>> & {
  transaction: TransactionOf<`${Of}:${Name}`>;
};

/**
 * Handles an event of each of some entries of the configuration. All logs come here: so the first one of a block goes on with
 * what waits for a block. `ahead` tells the rows that the handler will find.
 *
 * @example on(["Registry", "RegistryOld"], "NewTTL", ({ context, log }) => appendEventAndHolders(context, log, {}));
 */
export function on<Of extends Entry, Name extends SharedEvent<Of>>(
  entries: Of | readonly Of[],
  name: Name,
  handle: (args: ArgsOf<NoInfer<Of>, NoInfer<Name>>) => Promise<unknown>,
  ahead?: Ahead<ArgsOf<NoInfer<Of>, NoInfer<Name>>["event"]>,
): void {
  const [eventType = ""] = name.split("(");
  // The type of an event follows from its name, which TypeScript cannot see for a name that it does not know yet.
  const registry = ponder as unknown as {
    on: (
      name: string,
      handle: (args: {
        event: LogEvent & { transaction: Partial<NeededTransaction> };
        context: Context;
      }) => Promise<void>,
    ) => void;
  };
  for (const entry of [entries].flat() as Of[]) {
    if (ahead !== undefined) declareAhead(`${entry}:${name}`, ahead as Ahead);
    const isNeeded = (neededTransactions as Record<string, Need>)[`${entry}:${name}`];
    registry.on(`${entry}:${name}`, async ({ event, context }) => {
      const log = logRefOf(context, event, familyOf(entry), eventType);
      await startBlock(context, log);
      const chain = {
        id: log.chainId,
        addressesOf: (listed: "ListedResolver") => addressesOf(context, listed),
      };
      // Live logs all have a transaction: what handlers do must not depend on when a log came.
      const transaction = isNeeded?.(event.log, chain) ? wholeOrNull(event.transaction) : undefined;
      await handle({ event, context, log, transaction } as unknown as ArgsOf<Of, Name>);
    });
  }
}

/** Of a transaction that the backfill did not fetch, an event has the hash and the place alone. */
function wholeOrNull({ hash, from, to, input }: Partial<NeededTransaction>) {
  return input === undefined ? null : { hash, from, to, input };
}
