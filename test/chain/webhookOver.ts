import { Webhook as Standard } from "standardwebhooks";
import { expect, vi } from "vitest";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import type { Stack } from "../support/stack.ts";
import { openReceiver, type Receiver, status } from "../webhooks/receiver.ts";

/** Settings with which a Namedex can send webhooks to receivers on this machine. */
export const webhookSettings = { WEBHOOK_SECRET_KEY: "07".repeat(32), CCIP_LOOPBACK: "on" };

/** A receiver of every change from now on. */
export type ReceivedChanges = {
  receiver: Receiver;
  /** Waits until it has everything in the feed since then, and expects each in order, signed. @returns how many */
  expectAll: () => Promise<number>;
  /** A receiver that failed answers from now on, and is called at once. */
  mend: () => Promise<void>;
  close: () => Promise<void>;
};

type Page = { changes: { position: string; type: string }[]; next_position: string };

/** Makes a webhook, as an owner does, to a receiver over HTTP; `answer` is how it answers after its test. */
export async function openReceivedChanges(
  stack: Stack,
  answer: Receiver["answer"] = status(200),
): Promise<ReceivedChanges> {
  const store = openStore({ databaseUrl: stack.databaseUrl, schema: "namedex_service" });
  const { key } = await keysIn(store).create({ label: "", owner: null, credits: 0, reason: "test" });
  const receiver = await openReceiver();
  const post = async (path: string, body: object = {}) => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const reply = await fetch(stack.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await reply.json()) as Record<string, unknown>;
  };
  const { id, secret } = await post("/webhooks", { url: receiver.url });
  expect(await post(`/webhooks/${id}/test`)).toMatchObject({ is_delivered: true });
  const standard = new Standard(String(secret));
  const unsigned: unknown[] = [];
  /** Each is checked on arrival: the standard rejects messages older than five minutes. */
  const verified =
    (then: Receiver["answer"]): Receiver["answer"] =>
    (response, message) => {
      try {
        standard.verify(message.text, message.headers);
      } catch (error) {
        unsigned.push(error);
      }
      then(response, message);
    };
  receiver.answer = verified(answer);
  const { body: begun } = await stack.api<Page>("/changes?after=newest");

  /** Positions of the changes since then; the marks of blocks are not sent. */
  const listChanges = async (): Promise<string[]> => {
    const positions: string[] = [];
    for (let after = begun.next_position; ; ) {
      const { body } = await stack.api<Page>(`/changes?limit=1000&after=${after}`);
      if (body.changes.length === 0) return positions;
      positions.push(
        ...body.changes.flatMap(({ type, position }) => (type === "block.ended" ? [] : position)),
      );
      after = body.next_position;
    }
  };
  const received = () => receiver.arrived.filter(({ data }) => typeof data.position === "string");
  return {
    receiver,
    mend: async () => {
      receiver.answer = verified(status(200));
      await store.query("update webhooks set next_at = now() where id = $1", [id]);
    },
    expectAll: async () => {
      const positions = await listChanges();
      const arrivals = () => [...new Set(received().map((message) => message.id))];
      await vi.waitFor(() => expect(arrivals()).toEqual(positions), { timeout: 120_000, interval: 200 });
      expect(unsigned).toEqual([]);
      return positions.length;
    },
    close: async () => {
      receiver.close();
      await store.close();
    },
  };
}
