import type { Hex } from "viem";
import { isLabelOf, isPrintable } from "../../ens/name.ts";
import { wellKnownLabels } from "../../ens/wellKnownLabels.ts";

/*
 * Labels that others than the chain's logs gave: callers, tables, services. They stand in a table of the service's schema,
 * which outlives every index. The API of the same process holds them in memory, so no handler waits for a query.
 * A label is the preimage of a hash: once it hashes to that, it is as true as an event's.
 */

/** A label that someone gave. */
export type GivenLabel = {
  /** Grows with each label that is stored. */
  position: number;
  labelhash: Hex;
  label: string;
  /** As in `labels.source`. */
  source: string;
};

/** What the API gives (`src/api/names/labels/givenLabels.ts`). */
export type GivenLabels = {
  /** Ends when every label that was stored before is in memory. It never fails: it waits for a database that is away. */
  ready: () => Promise<void>;
  /** Position of the newest one; 0 without any. */
  newest: () => number;
  find: (labelhash: Hex) => GivenLabel | null;
  /** The next ones behind a position, oldest first, `max` at most. */
  after: (position: number, max: number) => GivenLabel[];
};

declare global {
  /** Not set where no API runs in the process. */
  var namedexGivenLabels: GivenLabels | undefined;
}

/**
 * Whether a label may be used in a name, and hashes to its hash: no table is trusted, not even our own. Addresses are
 * excluded: they would reveal whose primary name a reverse node sets, without a log of that.
 */
export const isUsable = ({ labelhash, label }: GivenLabel): boolean =>
  isPrintable(label) &&
  !/^[0-9a-f]{40}$/.test(label) &&
  !wellKnownLabels.has(labelhash) &&
  isLabelOf(labelhash, label);

/** The label with a hash, if someone gave it; else null. */
export function givenLabel(labelhash: Hex): GivenLabel | null {
  const found = globalThis.namedexGivenLabels?.find(labelhash) ?? null;
  return found !== null && isUsable(found) ? found : null;
}
