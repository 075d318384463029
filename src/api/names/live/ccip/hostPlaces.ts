import { fairPlaces, type Places } from "../../../server/scheduling/places.ts";
import { GatewayError } from "./gatewayError.ts";

/** Concurrent requests to gateways: in total, and per caller. */
export const MAX_REQUESTS = { most: 100, each: 40 };
/** Concurrent requests to one host: in total, and per caller. One slow host leaves most places to the others. */
export const MAX_REQUESTS_OF_HOST = { most: 30, each: 20 };
/** Requests that may wait for a place: enough for a few large batches. */
const WAITING = { most: 2_000, each: 500 };

const refuse = () => new GatewayError("Too many requests to gateways wait; ask again in a moment");

/** Runs a request to a host as soon as the host, and then the whole client, has a place for the caller. */
export type HostPlaces = (host: string) => Places;

export function createHostPlaces(): HostPlaces {
  const all = fairPlaces({ running: MAX_REQUESTS, waiting: WAITING, refuse });
  const hosts = new Map<string, { places: Places; users: number }>();
  return (host) => async (caller, signal, task) => {
    const ofHost = hosts.get(host) ?? {
      places: fairPlaces({ running: MAX_REQUESTS_OF_HOST, waiting: WAITING, refuse }),
      users: 0,
    };
    hosts.set(host, ofHost);
    ofHost.users++;
    try {
      return await ofHost.places(caller, signal, () => all(caller, signal, task));
    } finally {
      if (--ofHost.users === 0) hosts.delete(host);
    }
  };
}
