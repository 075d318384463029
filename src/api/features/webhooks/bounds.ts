/** Webhooks of one key, and of a service. */
export const MAX_OF_KEY = 20;
export const MAX_WEBHOOKS = 10_000;

/** A URL that is stored. */
export const MAX_URL = 2_048;

/** Deliveries of all webhooks of a key that may wait. */
export const MAX_WAITING = 10_000;

/** Changes of one replay. */
export const MAX_REPLAYED = 1_000;

/** Deliveries in one answer about them. */
export const MAX_DELIVERIES = 100;

/** How long finished deliveries are shown. */
export const DELIVERY_DAYS = 3;

/** Older events are removed, with the deliveries of them that still wait. */
export const EVENT_DAYS = 7;

/** How long the previous secret still signs. */
export const OVERLAP_HOURS = 24;

/** Seconds between two test messages of one webhook. */
export const TEST_SECONDS = 5;

/** Ports of receivers. */
export const PORTS = [443, 8443];

/** Time of one attempt. Standard Webhooks: 15 to 30 s. */
export const TIMEOUT_MS = 15_000;

/** Bytes of an answer that are read, and not used. */
export const MAX_ANSWER = 4_096;

/** Attempts at the same time: of the service, of one key, to one host, and of webhooks that fail. */
export const AT_ONCE = { all: 64, key: 8, host: 8, failing: 16 };

/** What one webhook gets before others have their turn. */
export const TURN = { deliveries: 50, ms: 10_000 };

/** Webhooks of one name whose values are read at once, after a gap. */
export const NAMES_AT_ONCE = 50;

/** Changes that are matched at once, and the deliveries they cause. */
export const PAGE = 500;
export const MAX_MATCHES = 20_000;
