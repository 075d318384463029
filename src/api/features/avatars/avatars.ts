import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { LiveFailure } from "../../names/live/failure.ts";
import { createOutgoing, OutgoingError, type OutgoingRules } from "../../server/outgoing/outgoing.ts";
import { fairPlaces } from "../../server/scheduling/places.ts";
import { AT_ONCE, MAX_BYTES, MAX_MS, MEMORY_BYTES, REMEMBERED_SECONDS, WAITING } from "./bounds.ts";
import { type AvatarRecord, findPicture, type Picture, type PictureReach } from "./findPicture.ts";

export type AvatarsPlan = Pick<OutgoingRules, "ownHosts" | "allowLoopback" | "lookup"> & {
  /** The operator's IPFS gateway, a URL; null if none. */
  ipfsGateway: string | null;
  /** A chain's nodes, within a caller's share; null for a chain without nodes. */
  chain: (chainId: number, caller: string) => ReturnType<PictureReach["chain"]>;
  takeTurn: PictureReach["takeTurn"];
  /** For finding one picture, in milliseconds. */
  timeoutMs?: number;
};

/** `busy`: too many are looked for already. `unknown`: a host or a node gave no usable answer. */
export type Found = Picture | "none" | "unknown" | "busy";

export type Avatars = {
  /** The picture of an avatar record, which may be remembered. Never throws for what a record, a host or a node says. */
  find: (record: AvatarRecord, caller: string) => Promise<Found>;
  close: () => Promise<void>;
};

class Busy extends Error {}
const busy = () => new Busy("Too many avatars are being loaded");

/** Finds pictures of names, a few at a time, and remembers them. */
export function createAvatars({
  ipfsGateway,
  chain,
  takeTurn,
  timeoutMs = MAX_MS,
  ...rules
}: AvatarsPlan): Avatars {
  const bounds = { maxBytes: MAX_BYTES, timeoutMs, maxConnections: AT_ONCE.host };
  const strangers = createOutgoing({ subject: "avatar", ...bounds, ...rules });
  // The operator named it: it may be on this machine, where the URL says so itself.
  const gateway = createOutgoing({ subject: "IPFS gateway", ...bounds, ...rules, allowLoopback: true });
  const ipfs = ipfsGateway === null ? null : { base: withSlash(ipfsGateway), outgoing: gateway };
  const ofCallers = fairPlaces({ running: AT_ONCE, waiting: WAITING, refuse: busy });
  const ofHosts = fairPlaces({
    running: { most: AT_ONCE.most, each: AT_ONCE.host },
    waiting: WAITING,
    refuse: busy,
  });
  const remembered = new LRUCache<string, { found: Picture | "none" | "unknown" }>({
    maxSize: MEMORY_BYTES,
    maxEntrySize: MAX_BYTES + ENTRY_BYTES,
    sizeCalculation: ({ found }) => ENTRY_BYTES + (typeof found === "string" ? 0 : found.content.length),
  });
  const flights = new Map<string, Promise<Found>>();

  const look = async (record: AvatarRecord, caller: string): Promise<Found> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const reach: PictureReach = {
      strangers,
      ipfs,
      signal,
      takeTurn,
      chain: (id) => chain(id, caller),
      atHost: (host, ask) => ofHosts(host, signal, ask),
    };
    try {
      const found = await ofCallers(caller, signal, () => findPicture(reach, record));
      return found ?? "none";
    } catch (thrown) {
      if (thrown instanceof Busy) return "busy";
      if (signal.aborted || thrown instanceof OutgoingError || thrown instanceof LiveFailure)
        return "unknown";
      throw thrown;
    }
  };
  return {
    close: async () => void (await Promise.all([strangers.close(), gateway.close()])),
    find: async (record, caller) => {
      const key = keyOf(record);
      const known = remembered.get(key);
      if (known) return known.found;
      const flight = flights.get(key) ?? look(record, caller).finally(() => flights.delete(key));
      flights.set(key, flight);
      const found = await flight;
      if (found !== "busy") remembered.set(key, { found }, { ttl: 1_000 * secondsOf(record, found) });
      return found;
    },
  };
}

/** What an entry takes besides its picture. */
const ENTRY_BYTES = 512;

const withSlash = (url: string): URL => new URL(url.endsWith("/") ? url : `${url}/`);

/** A record may be a picture of a megabyte. */
const keyOf = ({ text, holder }: AvatarRecord): string =>
  createHash("sha256")
    .update(JSON.stringify([text, holder]))
    .digest("base64url");

function secondsOf({ text }: AvatarRecord, found: Found): number {
  if (typeof found === "string") return REMEMBERED_SECONDS.none;
  return /^eip155:/i.test(text) ? REMEMBERED_SECONDS.token : REMEMBERED_SECONDS.picture;
}
