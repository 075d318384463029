import { networkOf } from "../../src/api/server/access/address.ts";

/** Shares of something limited, by the address of callers. Each IPv4 address, and each /64 network of IPv6, has one. */
export type Shares = {
  /** Takes an amount for an address; false if that is more than its share. */
  take: (address: string, amount?: number) => boolean;
  give: (address: string, amount?: number) => void;
};

/** `each` is the limit per address; `room` returns the total and the free places. */
type SharesPlan = { each?: number; room: (taken: number) => { all: number; free: number } };

/** No limit but that of each address. */
export const ENDLESS = () => ({ all: 1, free: Number.POSITIVE_INFINITY });

/**
 * The more is taken, the less an address may have: of what is free, the same part as is free of all. Of 100 places one
 * address may have 38, and then a second one 19; who has nothing may take the last.
 */
export function createShares({ each = Number.POSITIVE_INFINITY, room }: SharesPlan): Shares {
  const shares = new Map<string, number>();
  let taken = 0;
  const add = (network: string, amount: number) => {
    const share = (shares.get(network) ?? 0) + amount;
    taken += amount;
    if (share === 0) shares.delete(network);
    else shares.set(network, share);
  };
  return {
    take: (address, amount = 1) => {
      const network = networkOf(address);
      const wanted = (shares.get(network) ?? 0) + amount;
      const { all, free } = room(taken);
      const isShare = wanted * all <= free ** 2 || (wanted === amount && amount <= free);
      if (isShare && wanted <= each) add(network, amount);
      return isShare && wanted <= each;
    },
    give: (address, amount = 1) => add(networkOf(address), -amount),
  };
}
