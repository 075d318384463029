import type { lookup as dnsLookup } from "node:dns";
import { createOutgoing, OutgoingError } from "../../server/outgoing/outgoing.ts";

/** A service with ENSRainbow's HTTP protocol, and the label set and version to request. */
export type LabelServicePlan = {
  url: string;
  set: { id: string; version: number };
  /** Hosts of this service: they are never asked. */
  ownHosts: readonly string[];
  timeoutMs?: number;
  lookup?: typeof dnsLookup;
};

export type LabelService = {
  /**
   * The text of a label, as the service says; null if it has none. The caller hashes it.
   *
   * @throws LabelServiceError if there is no usable answer
   */
  heal: (hash: `0x${string}`) => Promise<string | null>;
  close: () => Promise<void>;
};

/** `isFinal`: the service refuses the question itself, as one of another label set. */
export class LabelServiceError extends Error {
  override readonly name = "LabelServiceError";
  readonly isFinal: boolean;

  constructor(message: string, { isFinal }: { isFinal: boolean }) {
    super(message);
    this.isFinal = isFinal;
  }
}

const TIMEOUT_MS = 5_000;
/** A label in a name has at most 255 bytes, so a longer answer is useless. */
export const MAX_HEALING_BYTES = 8_192;

/** Source: ensnode, apps/ensrainbow, `GET /v1/heal/{labelhash}`. With id and version the answers stay the same. */
export function createLabelService({ url, set, ...rules }: LabelServicePlan): LabelService {
  const outgoing = createOutgoing({
    subject: "label service",
    maxBytes: MAX_HEALING_BYTES,
    maxConnections: 1,
    timeoutMs: TIMEOUT_MS,
    // The operator named it: it may be on this machine, where the URL says so itself.
    allowLoopback: true,
    ...rules,
  });
  return {
    close: outgoing.close,
    heal: async (hash) => {
      const signal = new AbortController().signal;
      const target = questionOf(hash, { url, set });
      const { status, body } = await outgoing.ask(target, { method: "GET", signal }).catch(toServiceError);
      if (status === 404) return null;
      if (status === 400) {
        throw new LabelServiceError(`${target.host} does not have the label set ${set.id}@${set.version}`, {
          isFinal: true,
        });
      }
      if (status !== 200) {
        throw new LabelServiceError(`${target.host} answered with status ${status}`, { isFinal: false });
      }
      return labelIn(body, target.host);
    },
  };
}

function questionOf(hash: string, { url, set }: Pick<LabelServicePlan, "url" | "set">): URL {
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/+$/, "")}/v1/heal/${hash}`;
  target.searchParams.set("label_set_id", set.id);
  target.searchParams.set("label_set_version", String(set.version));
  return target;
}

function labelIn(body: Uint8Array, host: string): string {
  let answer: { status?: unknown; label?: unknown } | null = null;
  try {
    answer = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Said below.
  }
  if (answer?.status === "success" && typeof answer.label === "string") return answer.label;
  throw new LabelServiceError(`${host} did not answer with JSON that has a label`, { isFinal: false });
}

function toServiceError(thrown: unknown): never {
  if (thrown instanceof OutgoingError) throw new LabelServiceError(thrown.message, { isFinal: false });
  throw thrown;
}
