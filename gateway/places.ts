import { networkOf } from "../src/api/access/address.ts";
import { ApiError } from "../src/api/errors/errors.ts";

/** Places for requests, by the address of their callers: no address can take the places of all others. */
export type Places = {
  /** Takes a place; gives what frees it. @throws ApiError RATE_LIMITED if the address has all of its places */
  take: (address: string) => () => void;
};

/** A place is free again as soon as an answer ends: most take far less than a second. */
const RETRY_SECONDS = "1";

/** Each IPv4 address, and each /64 network of IPv6, has the same number of places. Only those that hold places are stored. */
export function createPlaces(placesPerAddress: number): Places {
  const taken = new Map<string, number>();
  return {
    take: (address) => {
      const network = networkOf(address);
      const count = taken.get(network) ?? 0;
      if (count >= placesPerAddress) throw tooMany(placesPerAddress);
      taken.set(network, count + 1);
      return () => {
        const left = (taken.get(network) ?? 1) - 1;
        if (left === 0) taken.delete(network);
        else taken.set(network, left);
      };
    },
  };
}

const tooMany = (places: number): ApiError =>
  new ApiError(
    "RATE_LIMITED",
    `This address has ${places} requests being answered, which is all that one may have; ask again when one has ended.`,
    { headers: { "Retry-After": RETRY_SECONDS } },
  );
