import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { addWebhooks } from "../../test/webhooks/manyWebhooks.ts";
import type { Figure } from "../report.ts";
import { clock } from "./clock.ts";
import { type FeedStage, spreadOf, until } from "./stage.ts";

const MAX_DELIVERY_MS = 1_000;

/** Loopback addresses at which the receiver is: many receivers are at as many hosts. */
const HOSTS = 200;

/** A message receiver that records the arrival and block of each. */
type Receiver = { port: number; arrived: { block: number; at: number }[]; close: () => void };

async function openReceiver(): Promise<Receiver> {
  const arrived: Receiver["arrived"] = [];
  const server: Server = createServer(async (request, response) => {
    const at = clock();
    let text = "";
    for await (const chunk of request) text += chunk;
    const { data } = JSON.parse(text) as { data: { block_number?: number } };
    arrived.push({ block: data.block_number ?? 0, at });
    response.writeHead(204).end();
  });
  server.listen(0);
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, arrived, close };
}

/** A node that no name has. */
const otherNode = (i: number): string => `0x${(i + 1).toString(16).padStart(64, "0")}`;

type Sizes = { subscriptions: number; blocks: number; changes: number };

/** How long after its commit a block's changes arrive, and are in the feed, while there are many subscriptions. */
export async function measureDeliveries(stage: FeedStage, sizes: Sizes): Promise<Figure[]> {
  const { subscriptions, blocks, changes } = sizes;
  const receiver = await openReceiver();
  await until(async () => (await stage.store.query("select from webhook_feed")).length === 1, "a worker");
  await addWebhooks(stage.store, {
    count: subscriptions,
    secretKey: stage.secretKey,
    urlOf: (i) => `http://127.0.0.${1 + (i % HOSTS)}:${receiver.port}/${i}`,
    // The first are of names that change, the others of names that do not.
    filtersOf: (i) => ({ node: stage.nodes[i] ?? otherNode(i) }),
  });
  await firstDelivery(stage, { receiver, changes });
  const [delivered, toFeed]: [number[], number[]] = [[], []];
  for (let i = 0; i < blocks; i++) {
    receiver.arrived.length = 0;
    const number = await stage.change(changes);
    const committed = stage.times.committed.get(number) ?? Number.NaN;
    await until(() => receiver.arrived.length >= changes, `the deliveries of block ${number}`);
    delivered.push(...receiver.arrived.map(({ at }) => at - committed));
    toFeed.push((stage.times.inFeed.get(number) ?? Number.NaN) - committed);
  }
  receiver.close();
  await stage.store.query("delete from webhooks");
  await stage.store.query("update webhook_feed set version = version + 1");
  const among = `${subscriptions.toLocaleString("en")} subscriptions, ${changes} changes a block`;
  return [
    ...figuresOf("commit to the feed", toFeed),
    ...figuresOf(`commit to delivery, ${among}`, delivered, MAX_DELIVERY_MS),
  ];
}

/** The worker reads the list of subscriptions, and connections are opened, before anything is measured. */
async function firstDelivery(
  stage: FeedStage,
  { receiver, changes }: { receiver: Receiver; changes: number },
): Promise<void> {
  await stage.change(changes);
  await until(() => receiver.arrived.length >= changes, "the first deliveries");
}

export function figuresOf(name: string, times: readonly number[], atMost?: number): Figure[] {
  const { p50, p99 } = spreadOf(times);
  const target = atMost === undefined ? {} : { target: { of: "value" as const, atMost } };
  return [
    { bench: "feed", name, value: p50, unit: "ms p50", ...target },
    { bench: "feed", name, value: p99, unit: "ms p99", ...target },
  ];
}
