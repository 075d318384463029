import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Address, Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { newBudget } from "../../src/api/names/live/ccip/budget.ts";
import { createGateways, type Gateways } from "../../src/api/names/live/ccip/gatewayClient.ts";
import { SILENCE_MS } from "../../src/api/names/live/ccip/silentGateways.ts";

/*
 * A stranger's resolver names the URL of an honest gateway, or the stranger's names request what it does not answer: the honest
 * names still resolve. The gateway answers by the request, as real ones do.
 */

const HONEST: Address = "0x00000000000000000000000000000000000000aa";
const STRANGERS: Address = "0x00000000000000000000000000000000000000bb";
const [GOOD, STALLS]: [Hex, Hex] = ["0x900d", "0xbad0"];

let port = 0;
let server: Server;
let isDead = false;
let asked: string[] = [];
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    asked.push(url);
    if (!isDead && url.includes(HONEST) && !url.includes(STALLS)) response.end('{"data":"0x01"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});

let now = 1_000_000;
let gateways: Gateways | undefined;
function start(): Gateways {
  gateways = createGateways({ allowLoopback: true, timeoutMs: 300, now: () => now });
  return gateways;
}
afterEach(async () => {
  [isDead, asked] = [false, []];
  await gateways?.close();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (client: Gateways, { sender, data }: { sender: Address; data: Hex }): Promise<string> =>
  client
    .ask(
      { sender, urls: [`http://127.0.0.1:${port}/{sender}/{data}`], data },
      newBudget(sender, AbortSignal.timeout(20_000)),
    )
    .catch((error: Error) => error.message);
const good = { sender: HONEST, data: GOOD };

test("a resolver that names an honest gateway's URL blocks it only for itself", async () => {
  const client = start();
  const strangers = { sender: STRANGERS, data: STALLS };
  for (let i = 0; i < 2; i++) expect(await ask(client, strangers)).toContain("did not answer in time");
  expect(await ask(client, strangers)).toContain("gave no answer lately");
  expect(await ask(client, good)).toBe("0x01");
});

test("names of an honest resolver that its gateway does not answer block no other name", async () => {
  const client = start();
  expect(await ask(client, good)).toBe("0x01");
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 2; i++) {
      expect(await ask(client, { sender: HONEST, data: STALLS })).toContain("did not answer in time");
    }
    expect(await ask(client, good)).toBe("0x01");
  }
});

test("while the proof is requested, others are answered", async () => {
  const client = start();
  await ask(client, good);
  const stalls = { sender: HONEST, data: STALLS };
  for (let i = 0; i < 2; i++) await ask(client, stalls);
  const answers = await Promise.all([ask(client, stalls), ask(client, good), ask(client, good)]);
  expect(answers.slice(1)).toEqual(["0x01", "0x01"]);
});

test("the trial after a pause repeats a request that once succeeded, not a stranger's", async () => {
  const client = start();
  await ask(client, good);
  isDead = true;
  for (let i = 0; i < 3; i++) expect(await ask(client, good)).toContain("did not answer in time");
  expect(await ask(client, good)).toContain("gave no answer lately");
  isDead = false;
  now += SILENCE_MS;
  asked = [];
  expect(await ask(client, { sender: HONEST, data: STALLS })).toContain("did not answer in time");
  expect(asked.map((url) => url.split("/").at(-1))).toEqual([GOOD, STALLS]);
  expect(await ask(client, good)).toBe("0x01");
});

test("a dead gateway is left alone, whatever it answered before", async () => {
  const client = start();
  await ask(client, good);
  isDead = true;
  for (let i = 0; i < 3; i++) await ask(client, good);
  asked = [];
  for (let i = 0; i < 10; i++) expect(await ask(client, good)).toContain("gave no answer lately");
  expect(asked).toEqual([]);
});
