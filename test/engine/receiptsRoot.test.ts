import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { type Receipt, receiptsRoot } from "../../engine/sources/receiptsRoot.ts";

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

let id = 0;
async function ask<T>(method: string, params: unknown[] = []): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
  const headers = { "content-type": "application/json" };
  const reply = await fetch(anvil.url, { method: "POST", headers, body });
  return ((await reply.json()) as { result: T }).result;
}

/** Creation code of a contract that logs a word with a topic, and another one without. */
const LOGS = "0x602a60005260aa60206000a160206000a000";

test.each([0, 1, 2, 17, 130])("the root of %i receipts equals that in the header", async (count) => {
  const [from] = await ask<string[]>("eth_accounts");
  await ask("evm_setAutomine", [false]);
  for (let i = 0; i < count; i++) {
    const legacy = i % 3 === 0 ? { gasPrice: "0x77359400" } : {};
    const fails = i % 7 === 6 ? { data: "0xfe" } : { data: LOGS };
    await ask("eth_sendTransaction", [{ from, gas: "0x30d40", ...fails, ...legacy }]);
  }
  await ask("evm_mine");
  const header = await ask<{ receiptsRoot: string; transactions: string[] }>("eth_getBlockByNumber", [
    "latest",
    false,
  ]);
  const receipts = await ask<Receipt[]>("eth_getBlockReceipts", ["latest"]);
  expect(header.transactions).toHaveLength(count);
  expect(receipts.flatMap(({ logs }) => logs).length).toBeGreaterThanOrEqual(count);
  expect(receiptsRoot(receipts)).toBe(header.receiptsRoot);
});
