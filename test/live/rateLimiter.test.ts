import { expect, test } from "vitest";
import { LiveFailure } from "../../src/api/names/live/failure.ts";
import { MAX_WAIT_MS, rateLimiter } from "../../src/api/names/live/rateLimiter.ts";

const soon = () => AbortSignal.timeout(60_000);

test("requests beyond the rate, counting those of the second before, wait for their turn", async () => {
  const takeTurn = rateLimiter(20);
  const before = performance.now();
  await Promise.all(Array.from({ length: 41 }, () => takeTurn(soon())));
  // 20 of the second before and 1 at once; the other 20 take a second. Timers may be early by a
  // millisecond.
  expect(performance.now() - before).toBeGreaterThan(900);
});

test("a request that would wait longer than an answer may take is refused at once", async () => {
  const takeTurn = rateLimiter(1);
  const end = new AbortController();
  const asked = Array.from({ length: 100 }, () => takeTurn(end.signal).catch((error: unknown) => error));
  const refused = await Promise.all(asked.slice(MAX_WAIT_MS / 1_000 + 3));
  end.abort();
  expect(refused.every((error) => error instanceof LiveFailure)).toBe(true);
  expect(refused).toHaveLength(87);
  await Promise.all(asked);
});

test("a request stops waiting when its time is over", async () => {
  const takeTurn = rateLimiter(1);
  const end = new AbortController();
  await takeTurn(soon());
  await takeTurn(soon());
  const waiting = takeTurn(end.signal);
  end.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});
