import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createHeads } from "../../src/api/server/indexState/chainHead.ts";

test("all callers within a moment wait only once for a node that does not answer", async () => {
  let asked = 0;
  const node = createServer(() => asked++);
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const headOf = createHeads({ 1: [`http://127.0.0.1:${(node.address() as AddressInfo).port}`] });
  expect(await Promise.all([headOf(1), headOf(1)])).toEqual([null, null]);
  expect(await headOf(1)).toBe(null);
  expect(asked).toBe(1);
  node.closeAllConnections();
  node.close();
});
