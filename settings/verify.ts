import { timeOrOff } from "./kinds.ts";
import { type ValuesOf, withDefault } from "./variable.ts";

/** How often the index is compared with the chain. */
export type VerifySettings = {
  /** Seconds from one comparison to the next; null for none. */
  verifyEverySeconds: number | null;
};

/** A comparison takes up to some minutes. A timer of Node takes 24 days at most. */
const RANGE = { from: 60, to: 14 * 86_400 };

export const verifyVariables = {
  VERIFY_EVERY: withDefault("off", timeOrOff(RANGE), {
    example: "24h",
    meaning:
      "How often `npm start` compares 1,000 random names and records with the contracts ([operations.md](operations.md#is-it-right)). The result appears at `/indexing-status` and in the metrics. It uses `LIVE_RPC_URL`, at up to `LIVE_REQUESTS_PER_SECOND` on top of what callers cause.",
  }),
};

export const toVerifySettings = ({
  VERIFY_EVERY: every,
}: ValuesOf<typeof verifyVariables>): VerifySettings => ({
  verifyEverySeconds: every === "off" ? null : every,
});
