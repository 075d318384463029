import type { Address } from "viem";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { addressOf, mineBlocks, send } from "../../devnet/acts.ts";
import { OWN_BATCH_GATEWAY } from "../../src/api/names/live/ccip/ccip.ts";
import { MAX_VALUE_BYTES } from "../../src/api/names/live/liveRecords.ts";
import { MAX_STORED_BYTES } from "../../src/api/server/serviceDb/liveAnswers.ts";
import { nestedBatches } from "./ccip/hostileLookups.ts";
import { names, type Scene } from "./scene.ts";

type Reply = { status: number; body: Record<string, unknown> };

const failure = (message: RegExp) => ({
  status: 502,
  body: { error: { code: "LIVE_RESOLUTION_FAILED", message: expect.stringMatching(message) } },
});

/** Resolvers and gateways of strangers, on a scene that trusts one proxy. */
export function describeStrangers(sceneOf: () => Scene): void {
  /** Each test has its own block, so that no earlier answer is remembered. */
  beforeEach(async () => {
    await mineBlocks(sceneOf().chain, { count: 1 });
    await sceneOf().stack.waitForHead();
  });

  /** A request as the caller at this address sends it. */
  async function askAs(address: string, path: string, body?: unknown): Promise<Reply> {
    const headers = { "x-forwarded-for": address, "content-type": "application/json" };
    const reply = await fetch(`${sceneOf().stack.url}${path}`, {
      headers,
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }

  const tell = async (functionName: "ask" | "answerTexts", ...args: unknown[]) => {
    await send(sceneOf().chain, { from: sceneOf().alice, contract: "hostileResolver", functionName, args });
    await sceneOf().stack.waitForHead();
  };

  describe("a resolver with endless look-ups", () => {
    test("of batches nested in batches gets none of them", async () => {
      const resolver: Address = addressOf(sceneOf().chain, "hostileResolver");
      await tell("ask", [OWN_BATCH_GATEWAY], nestedBatches(resolver, { width: 45, depth: 3 }));
      sceneOf().stranger.asked = 0;
      expect(await askAs("192.0.2.1", `/whois/${names.hostile}`)).toEqual(
        failure(/A batch of look-ups may not hold another batch/),
      );
      expect(sceneOf().stranger.asked).toBe(0);
    });
  });

  describe("a resolver that answers large values", () => {
    const ask = () => askAs("192.0.2.1", `/domain/${names.hostile}/records/text/avatar`);

    test("is answered up to the limit, and a value too large for the store is not stored", async () => {
      await tell("answerTexts", MAX_VALUE_BYTES);
      const { status, body } = await ask();
      expect([status, (body.value as string).length]).toEqual([200, MAX_VALUE_BYTES]);
      const [{ largest } = { largest: 0 }] = await sceneOf().stack.sql<{ largest: number }>(
        "SELECT coalesce(max(octet_length(answer::text)), 0)::int AS largest FROM namedex_service.live_answers",
      );
      expect(largest).toBeLessThanOrEqual(MAX_STORED_BYTES);
    });

    test("beyond the limit gets an error that names the record and the limit", async () => {
      await tell("answerTexts", MAX_VALUE_BYTES + 1);
      expect(await ask()).toEqual(failure(/^The text record `avatar` is larger than 131072 bytes/));
      expect(await askAs("192.0.2.1", `/whois/${names.hostile}`)).toMatchObject({ status: 200 });
    });

    test("also has a limit for all records of a name together", async () => {
      await tell("answerTexts", 100_000);
      expect(await askAs("192.0.2.1", `/domain/${names.hostile}/records`)).toMatchObject({ status: 502 });
    });
  });

  test("a caller whose gateway never answers does not delay other callers' questions", async () => {
    const bulk = (number: number) => {
      const all = Array.from({ length: 30 }, (_, i) => `b${number}-${i}.${names.hanging}`);
      return askAs("192.0.2.1", "/whois/bulk", { names: all });
    };
    sceneOf().stranger.asked = 0;
    const bulks = Promise.all([bulk(1), bulk(2), bulk(3)]);
    await vi.waitFor(() => expect(sceneOf().stranger.asked).toBeGreaterThanOrEqual(20), {
      timeout: 60_000,
      interval: 10,
    });
    expect(await askAs("192.0.2.2", `/whois/${names.changeable}`)).toMatchObject({
      status: 200,
      body: { source: "live" },
    });
    const items = (await bulks).flatMap(({ body }) => body.results as { error?: { message: string } }[]);
    expect(items).toHaveLength(90);
    expect(items.filter(({ error }) => error?.message.includes("gave no answer lately"))).not.toEqual([]);
    expect(sceneOf().stranger.asked).toBeLessThan(60);
  });
}
