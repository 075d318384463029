import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/** A secret as its owner sees it, once. Source: Standard Webhooks 1.0, "Signature scheme". */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The secret as it is stored: only of use with the key, and for this webhook. */
export function sealSecret(secret: string, { key, webhookId }: { key: Buffer; webhookId: number }): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(subjectOf(webhookId));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** @throws Error if it was sealed with another key, or for another webhook */
export function openSecret(stored: Buffer, { key, webhookId }: { key: Buffer; webhookId: number }): string {
  const iv = stored.subarray(0, IV_BYTES);
  const tag = stored.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(subjectOf(webhookId)).setAuthTag(tag);
  return decipher.update(stored.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/** The secrets that are there; null if one cannot be opened: it was sealed with another key. */
export function openSecrets(
  stored: readonly (Buffer | null | undefined)[],
  of: { key: Buffer; webhookId: number },
): string[] | null {
  try {
    return stored.flatMap((one) => (one ? [openSecret(one, of)] : []));
  } catch {
    return null;
  }
}

const subjectOf = (webhookId: number): Buffer => Buffer.from(`webhook ${webhookId}`);

type Signed = { id: string; seconds: number; body: string };

/**
 * The header `webhook-signature`: one signature for each secret, so that a receiver may know either while secrets change.
 * Source: Standard Webhooks 1.0, "Signature scheme" (v1, HMAC-SHA256).
 */
export const signatureOf = ({ id, seconds, body }: Signed, secrets: readonly string[]): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
    })
    .join(" ");
