import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { startStack } from "./support/stack.ts";

test("serves", async () => {
  const deployment = JSON.parse(readFileSync(process.env.EQUAL_DEPLOYMENT as string, "utf8"));
  const env = JSON.parse(process.env.EQUAL_ENV ?? "{}");
  const stack = await startStack({ rpcUrl: process.env.EQUAL_RPC as string, deployment, env });
  await stack.waitForHead();
  writeFileSync(`${process.env.EQUAL_OUT}.url`, JSON.stringify({ url: stack.url, databaseUrl: stack.databaseUrl, schema: stack.schema }));
  while (!existsSync(`${process.env.EQUAL_OUT}.stop`)) await sleep(300);
  await stack.destroy();
}, 3_000_000);
