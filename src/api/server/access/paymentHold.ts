import type { PaymentMarks } from "../serviceDb/payments.ts";

/** A payment that one request holds, so that no other works for the same money. */
export type Held = {
  /** The payment was used: it stays held as long as it is valid. */
  keep: () => Promise<void>;
  release: () => Promise<void>;
};

/**
 * Holds a payment. Null if another request holds it.
 *
 * @param name what identifies it, in whatever form it was sent
 * @param expires when it is no longer valid
 */
export async function hold(
  marks: PaymentMarks,
  { name, expires }: { name: string; expires: string | undefined },
): Promise<Held | null> {
  const key = `held:${name}`;
  if (!(await marks.tryHold(key))) return null;
  return {
    keep: async () => {
      if (expires !== undefined) await marks.keepHeld(key, Date.parse(expires));
    },
    release: () => marks.delete(key),
  };
}
