import { type Address, type Hex, zeroAddress } from "viem";
import { MAX_OTHER, type OtherEvent } from "../query/otherRecords.ts";

/** Records in force that have no column. */
export type OtherRecords = {
  /** Content types that were set (ENSIP-4). The event does not say whether one was set to nothing. */
  abiTypes: string[];
  /** Which contract has an interface (EIP-165 id) for the name. */
  interfaces: { id: Hex; implementer: Address }[];
  publicKey: { x: Hex; y: Hex } | null;
  /** Whether all of them were read. */
  isComplete: boolean;
};

/** Of a name without records. */
export const noOtherRecords: OtherRecords = {
  abiTypes: [],
  interfaces: [],
  publicKey: null,
  isComplete: true,
};

type Arguments = {
  contentType?: string;
  /** As ENSv1 and as ENSv2 spell it. */
  interfaceID?: Hex;
  interfaceId?: Hex;
  implementer?: Address;
  x?: Hex;
  y?: Hex;
};

const ZERO_WORD = `0x${"0".repeat(64)}`;

/** What the events say, the newest first: of each record the newest setting counts. */
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
