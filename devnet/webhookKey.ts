import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Environment = Record<string, string | undefined>;

/**
 * A key for webhooks where none is set, kept in `home` like the database whose secrets it encrypts. None for a database that
 * was given, which may have another key, and none without the feed, which webhooks need.
 */
export function webhookKeyFor(home: string, given: Environment): Environment {
  if (given.WEBHOOK_SECRET_KEY || given.DATABASE_URL || given.FEED === "off") return {};
  const file = join(home, "webhook-secret-key");
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 });
  return { WEBHOOK_SECRET_KEY: readFileSync(file, "utf8") };
}
