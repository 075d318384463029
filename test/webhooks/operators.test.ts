import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandError, readCommand } from "../../ops/commandLine/command.ts";
import { webhooksProgram } from "../../ops/webhooks/commands.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { openStage, type Stage, until } from "./stage.ts";

let stage: Stage;
let receiver: Receiver;
beforeAll(async () => {
  stage = await openStage();
  receiver = await openReceiver();
});
afterAll(async () => {
  receiver.close();
  await stage.close();
});

const run = (...line: string[]): Promise<string> => readCommand(line, webhooksProgram)(stage.store);

test("operators list the webhooks of all keys, see their deliveries and disable one, without seeing URLs or secrets", async () => {
  expect(await run("list")).toBe("There are no webhooks.");
  const worker = stage.start();
  const { id } = await stage.subscribe(`${receiver.url}/token-of-the-owner`);
  await stage.block("a.eth");
  await until(async () =>
    expect(await run("deliveries", String(id))).toMatch(/delivered +1 +200 +resolver.changed/),
  );
  const listed = await run("list");
  expect(listed).toContain(new URL(receiver.url).host);
  const [json] = JSON.parse(await run("list", "--json")) as Record<string, unknown>[];
  expect(json).toMatchObject({ id, key: stage.key.id, state: "active", host: new URL(receiver.url).host });
  for (const text of [listed, JSON.stringify(json)]) expect(text).not.toMatch(/token-of-the-owner|whsec_/);
  expect(await run("disable", String(id))).toBe(`Webhook ${id} is disabled.`);
  expect((await stage.ask("GET", `/webhooks/${id}`)).body).toMatchObject({
    state: "disabled",
    disabled_because: "the operator disabled it",
  });
  await expect(run("disable", "999")).rejects.toThrow(CommandError);
  await expect(run("disable", "x")).rejects.toThrow(CommandError);
  await worker.stop();
});
