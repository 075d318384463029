import type { Outgoing } from "../../server/outgoing/outgoing.ts";
import { keysIn } from "../../server/serviceDb/keys.ts";
import type { Store } from "../../server/serviceDb/store.ts";
import { attempt, isSuccess, type Result } from "./attempt.ts";
import { TURN } from "./bounds.ts";
import type { Hosts } from "./hosts.ts";
import { bodyOf } from "./message.ts";
import { endTurn, type Job, nextJob, noteDelivered, noteFailed, postpone, recount } from "./queue.ts";
import { GIVE_UP_SECONDS, waitAfter } from "./schedule.ts";
import { openSecrets } from "./secrets.ts";

export type DeliveryPlan = {
  store: Store;
  receivers: Outgoing;
  hosts: Hosts;
  /** Encrypts the secrets that are stored. */
  secretKey: Buffer;
  /** Whether deliveries cost credits. */
  isPaid: boolean;
  observer: DeliveryObserver;
};

/** Hears how attempts end. */
export type DeliveryObserver = {
  /** `seconds`: since the delivery began to wait. */
  delivered: (seconds: number) => void;
  /** `refused`: the answer was not 2xx; `no_answer`: there was none, or the URL may not be requested. */
  failed: (outcome: "refused" | "no_answer") => void;
};

/** What a delivery is called in the ledger. */
const DELIVERY = "webhook delivery";

/** How long a webhook waits whose key has no credits, whose secret cannot be read, or that cannot be served. */
export const STOPPED_SECONDS = 60;

/**
 * Sends a webhook's waiting deliveries in order, until none waits, an attempt fails, or others have their turn.
 *
 * @throws the reason of `signal`
 */
export async function serveTurn(plan: DeliveryPlan, webhookId: number, signal: AbortSignal): Promise<void> {
  const ends = Date.now() + TURN.ms;
  for (let i = 0; i < TURN.deliveries && Date.now() < ends; i++) {
    signal.throwIfAborted();
    const job = await nextJob(plan.store, webhookId);
    if (job === null && i === 0) await plan.store.transaction((queries) => recount(queries, webhookId));
    if (job === null || !(await deliver(plan, job, signal))) break;
  }
  await endTurn(plan.store, webhookId);
}

/** @returns whether it was delivered */
async function deliver(plan: DeliveryPlan, job: Job, signal: AbortSignal): Promise<boolean> {
  const { store, hosts, receivers, isPaid, secretKey, observer } = plan;
  const { host } = new URL(job.url);
  const secrets = openSecrets([job.secret, job.oldSecret], { key: secretKey, webhookId: job.webhookId });
  const wait = hosts.waitFor(host) / 1_000;
  if (wait > 0 || secrets === null || (isPaid && job.credits < 1)) {
    await postpone(store, job.webhookId, wait > 0 ? wait : STOPPED_SECONDS);
    return false;
  }
  const body = bodyOf(job, job.payload);
  const began = performance.now();
  const result = await attempt(receivers, { url: job.url, id: job.messageId, body, secrets, signal });
  hosts.note(host, result);
  if (!isSuccess(result)) {
    observer.failed(result.status === null ? "no_answer" : "refused");
    await store.transaction((queries) =>
      noteFailed(queries, job, { ...result, next: afterFailure(job, result) }),
    );
    return false;
  }
  await store.transaction((queries) => {
    const charge = () => keysIn(queries).charge(job.keyId, { credits: 1, operation: DELIVERY });
    return noteDelivered(queries, job, { status: result.status, charge: isPaid ? charge : null });
  });
  observer.delivered(job.waitedSeconds + (performance.now() - began) / 1_000);
  return true;
}

const GONE = 410;

function afterFailure(
  { failures, failingSeconds }: Job,
  { status, retryAfter }: Result,
): { seconds: number } | { disable: string } {
  if (status === GONE) return { disable: "the receiver responded with 410 (gone)" };
  if (failingSeconds >= GIVE_UP_SECONDS) return { disable: "no attempt in three days got a 2xx response" };
  return { seconds: waitAfter({ failures: failures + 1, status, retryAfter }) };
}
