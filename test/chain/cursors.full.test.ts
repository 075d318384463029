import { afterAll, beforeAll, expect, test } from "vitest";
import { rpc } from "../../devnet/acts.ts";
import type { LocalChain } from "../../devnet/localChain.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { historiesOf, playSteps, type Step } from "../truth/steps.ts";
import { startHistoryChain } from "../truth/trial.ts";

/* Cursors on a real index, while blocks come and are removed: every item that stays is seen once, in the order of the list. */

const SEED = 8_104;
const PREFIX = "page";
const SIZE = 2;
const [common = [], abandoned = [], lasting = [], ...later] = historiesOf({
  seed: SEED,
  runs: 5,
  steps: 120,
});

let local: LocalChain;
let stack: Stack;

beforeAll(async () => {
  local = await startHistoryChain();
  await playSteps(local.chain, PREFIX, common.slice(0, 80));
  stack = await startStack({ rpcUrl: local.anvil.url, deployment: local.deployment });
});

afterAll(async () => {
  await stack?.destroy();
  await local?.anvil.stop();
});

type Item = { name: string; namehash: string };
type Page = { results: Item[]; total: number; next_cursor: string | null };

async function ask(path: string): Promise<Page> {
  const reply = await fetch(`${stack.url}${path}`);
  const body = await reply.json();
  expect(reply.status, JSON.stringify(body)).toBe(200);
  return body as Page;
}

/** Every item of a list, page by page, with an action between every two pages. */
async function walk(
  path: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = "";
  for (let page = 1; cursor !== null; page++) {
    const answer: Page = await ask(`${path}&page_size=${SIZE}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    all.push(...answer.results);
    cursor = answer.next_cursor;
    if (cursor !== null) await between(page);
  }
  return all;
}

const keysOf = (items: readonly Item[]) => items.map(({ namehash }) => namehash);

const lists = [
  "/search-domains?sort_by=full_name",
  "/search-domains?sort_by=full_name&sort_dir=desc",
  "/domain/eth/subdomains?sort_by=full_name",
];

/** Reads a list while the chain changes: items in it both before and after are seen once, and in order. */
async function expectOnce(path: string, change: (page: number) => Promise<void>): Promise<void> {
  const before = await walk(path);
  expect(before.length).toBeGreaterThan(4 * SIZE);
  const walked = await walk(path, change);
  const seen = keysOf(walked);
  const after = await walk(path);
  const isAfter = new Set(keysOf(after));
  const nameAfter = new Map(after.map(({ namehash, name }) => [namehash, name]));
  // A label that becomes known changes the name's place.
  const staying = before.filter(
    ({ namehash, name }) => isAfter.has(namehash) && nameAfter.get(namehash) === name,
  );
  expect(new Set(walked.map(({ namehash, name }) => `${namehash} ${name}`)).size).toBe(walked.length);
  const isStaying = new Set(keysOf(staying));
  expect(seen.filter((node) => isStaying.has(node))).toEqual(keysOf(staying));
}

const height = async () => Number(await rpc<string>(local.chain, "eth_blockNumber"));

async function play(steps: Step[], count: number): Promise<void> {
  await playSteps(local.chain, PREFIX, steps.splice(0, count));
  await stack.waitForHead();
}

test("blocks come between pages", async () => {
  const steps = common.slice(80);
  for (const path of lists) await expectOnce(path, () => play(steps, 2));
});

test("reorganisations come between pages", async () => {
  const [old, fresh] = [[...abandoned], [...lasting]];
  for (const path of lists) {
    await expectOnce(path, async (page) => {
      const base = await height();
      await play(old, 3);
      // Every second page, the blocks since the previous page are removed, and others come.
      if (page % 2 === 1) return;
      await rpc(local.chain, "anvil_rollback", [(await height()) - base]);
      await play(fresh, 5);
    });
  }
});

type Event = { id: string; transaction_hash: string };
type EventPage = { events: Event[]; next_cursor: string | null };

/** Every event of a list, page by page. A log in the place of another one is another event. */
async function walkEvents(
  path: string,
  { size, between = async () => {} }: { size: number; between?: () => Promise<void> },
): Promise<Event[]> {
  const all: Event[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const reply = await fetch(`${stack.url}${path}&page_size=${size}${cursor && `&cursor=${cursor}`}`);
    const body = (await reply.json()) as EventPage;
    expect(reply.status, JSON.stringify(body)).toBe(200);
    all.push(...body.events);
    cursor = body.next_cursor;
    if (cursor !== null) await between();
  }
  return all;
}

const eventKeys = (events: readonly Event[]) =>
  events.map((event) => `${event.id} ${event.transaction_hash}`);

/** The name, the account and the contract with the most events. */
async function findBusiest(): Promise<{ name: string; account: string; contract: string }> {
  const [domain] = await stack.sql<{ full_name: string }>(
    `select full_name from domains join events using (chain_id, node)
     where full_name like '${PREFIX}_.eth' group by full_name order by count(*) desc, full_name limit 1`,
  );
  const [log] = await stack.sql<{ contract_address: string }>(
    "select contract_address from events group by 1 order by count(*) desc, 1 limit 1",
  );
  const contract = log?.contract_address ?? "";
  return { name: domain?.full_name ?? "", account: local.chain.accounts[1] ?? "", contract };
}

test("events come and are rolled back between pages: those that stay are seen once", async () => {
  const [old = [], fresh = []] = later.map((steps) => [...steps]);
  const { name, account, contract } = await findBusiest();
  const near = `chain=${local.deployment.name}&block_from=${(await height()) - 15}`;
  const paths = [
    "/events?sort_dir=asc",
    "/events?",
    `/events?sort_dir=asc&${near}`,
    `/domain/${name}/events?`,
    `/domain/${name}/events?sort_dir=desc`,
    `/address/${account}/events?`,
    `/contract/${contract}/events?`,
  ];
  let taken = 0;
  for (const path of paths) {
    const before = eventKeys(await walkEvents(path, { size: 200 }));
    const size = Math.floor(before.length / 4);
    expect(size, path).toBeGreaterThan(0);
    let base = await height();
    await play(old, 3);
    let isOld = true;
    const seen = await walkEvents(path, {
      size,
      between: async () => {
        if (old.length === 0 || fresh.length === 0) return;
        // The previous page has seen, or could have seen, what is removed now.
        const depth = (await height()) - base;
        if (isOld && depth > 0) {
          await rpc(local.chain, "anvil_rollback", [depth]);
          taken += depth;
        }
        if (!isOld) base = await height();
        await play(isOld ? fresh : old, isOld ? 4 : 3);
        isOld = !isOld;
      },
    });
    const after = new Set(eventKeys(await walkEvents(path, { size: 200 })));
    const staying = before.filter((key) => after.has(key));
    expect(staying.length, path).toBeGreaterThan(3 * size);
    expect(new Set(seen.map(({ id }) => id)).size, path).toBe(seen.length);
    const isStaying = new Set(staying);
    expect(
      eventKeys(seen).filter((key) => isStaying.has(key)),
      path,
    ).toEqual(staying);
  }
  expect(taken).toBeGreaterThan(10);
});
