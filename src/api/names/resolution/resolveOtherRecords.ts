import { type Address, type Hex, zeroAddress } from "viem";
import { MAX_OTHER, type OtherEvent } from "../query/otherRecords.ts";

/** Records in force without a column. */
export type OtherRecords = {
  /** Content types that were set (ENSIP-4). The event does not show whether one was set to an empty value. */
  abiTypes: string[];
  /** The contract that implements an interface (EIP-165 ID) for the name. */
  interfaces: { id: Hex; implementer: Address }[];
  publicKey: { x: Hex; y: Hex } | null;
  /** True if all of them were read. */
  isComplete: boolean;
};

/** The value for a name without records. */
export const noOtherRecords: OtherRecords = {
  abiTypes: [],
  interfaces: [],
  publicKey: null,
  isComplete: true,
};

type Arguments = {
  contentType?: string;
  /** The spellings of ENSv1 and ENSv2. */
  interfaceID?: Hex;
  interfaceId?: Hex;
  implementer?: Address;
  x?: Hex;
  y?: Hex;
};

const ZERO_WORD = `0x${"0".repeat(64)}`;

/** Evaluates the events, newest first: the newest setting of each record counts. */
export function otherRecordsOf(events: readonly OtherEvent[]): OtherRecords {
  const abiTypes = new Set<string>();
  const interfaces = new Map<Hex, Address>();
  let publicKey: { x: Hex; y: Hex } | null | undefined;
  for (const { details } of events.slice(0, MAX_OTHER)) {
    const { contentType, interfaceID, interfaceId, implementer, x, y } = JSON.parse(details) as Arguments;
    const id = interfaceID ?? interfaceId;
    if (contentType !== undefined) abiTypes.add(contentType);
    if (id && implementer && !interfaces.has(id)) interfaces.set(id, implementer);
    if (x && y && publicKey === undefined) publicKey = x === ZERO_WORD && y === ZERO_WORD ? null : { x, y };
  }
  return {
    abiTypes: [...abiTypes].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)),
    interfaces: [...interfaces]
      .map(([id, implementer]) => ({ id, implementer }))
      .filter(({ implementer }) => implementer !== zeroAddress)
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    publicKey: publicKey ?? null,
    isComplete: events.length <= MAX_OTHER,
  };
}
