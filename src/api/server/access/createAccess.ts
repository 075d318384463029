import { keysIn } from "../serviceDb/keys.ts";
import { reservationsIn } from "../serviceDb/reservations.ts";
import { signupsIn } from "../serviceDb/signups.ts";
import type { Store } from "../serviceDb/store.ts";
import { type Access, openAccess } from "./access.ts";
import { limitsIn } from "./limits.ts";
import { meteredAccess } from "./metered.ts";
import type { Payments } from "./payment.ts";
import { signatureCheck } from "./signature.ts";
import { createSignup, type Signup, signupLimiterIn } from "./signup.ts";

/** What the operator chose. */
export type AccessPlan = {
  mode: "open" | "metered";
  /** Null where payments are not accepted. */
  payments: Payments | null;
  /** Items that a request without a key may have. */
  freeItems: number;
  /** Origins for which sign-up messages are made. None: sign-up is closed. */
  publicUrls: string[];
  chainId: number;
  /** Nodes that check the signatures of smart-contract wallets. */
  rpcUrls: readonly string[];
};

/** Access as the operator chose it, over the service's own tables; `signup` is null where sign-up is closed. */
export function createAccess(plan: AccessPlan, store: Store): { access: Access; signup: Signup | null } {
  if (plan.mode === "open") return { access: openAccess, signup: null };
  const keys = keysIn(store);
  const limits = limitsIn(store);
  const { payments, freeItems, publicUrls, chainId, rpcUrls } = plan;
  const access = meteredAccess({ keys, reservations: reservationsIn(store), limits, payments, freeItems });
  if (publicUrls.length === 0) return { access, signup: null };
  const signup = createSignup({
    keys,
    limits,
    limiter: signupLimiterIn(store),
    signups: signupsIn(store),
    checkSignature: signatureCheck({ rpcUrls }),
    place: { publicUrls, chainId },
  });
  return { access, signup };
}
