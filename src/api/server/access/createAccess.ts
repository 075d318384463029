import type { Settings } from "../../../../settings/settings.ts";
import { keysIn } from "../serviceDb/keys.ts";
import { reservationsIn } from "../serviceDb/reservations.ts";
import { signupsIn } from "../serviceDb/signups.ts";
import type { Store } from "../serviceDb/store.ts";
import { openAccess } from "./access.ts";
import { limitsIn } from "./limits.ts";
import { meteredAccess } from "./metered.ts";
import { signatureCheck } from "./signature.ts";
import { createSignup, signupLimiterIn } from "./signup.ts";

/**
 * Access as the operator chose it, over the service's own tables. `payments` is null where they are not accepted, `signup` where it is
 * closed.
 */
export async function createAccess(settings: Settings, store: Store, chainId: number) {
  // The payment library takes half a second to load: only a service that accepts payments waits for it.
  const payments = settings.payments
    ? (await import("./payment.ts")).createPayments(settings.payments, store)
    : null;
  if (settings.access === "open") return { access: openAccess, payments, signup: null };
  const keys = keysIn(store);
  const limits = limitsIn(store);
  const { freeBulkItems: freeItems, publicUrls, liveRpcUrls: rpcUrls } = settings;
  const access = meteredAccess({ keys, reservations: reservationsIn(store), limits, payments, freeItems });
  if (publicUrls.length === 0) return { access, payments, signup: null };
  const signup = createSignup({
    keys,
    limits,
    limiter: signupLimiterIn(store),
    signups: signupsIn(store),
    checkSignature: signatureCheck({ rpcUrls }),
    place: { publicUrls, chainId },
  });
  return { access, payments, signup };
}
