import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import { copyCheckout, signalGroup, waitUntil } from "./checkout.ts";

const START_TIMEOUT_MS = 300_000;

const checkout = copyCheckout();
let devnet: Program;

type Program = { child: ChildProcess; output: () => string; exit: Promise<unknown> };

/** Runs a line of a shell in the project, in a process group of its own as a terminal gives it one. */
function run(line: string): Program {
  const { PATH, HOME } = process.env;
  const child = spawn("sh", ["-c", line], {
    cwd: checkout,
    env: { PATH, HOME, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  return { child, output: () => output, exit: new Promise((resolve) => child.once("close", resolve)) };
}

async function end({ child, exit }: Program): Promise<void> {
  signalGroup(child, "SIGINT");
  await exit;
}

/** What a program said of itself: the lines of requests would bury it. */
const withoutRequests = (output: string): string =>
  output
    .split("\n")
    .filter((line) => !line.includes('"message":"request"'))
    .join("\n");

/** The command that `npm run devnet` shows for Ponder's own program, with a port of the test's. */
function shownCommand(port: number): string {
  const command = /^ {2}(\(.* npx ponder dev)\)$/m.exec(devnet.output())?.[1];
  return `${command} --disable-ui --port ${port})`;
}

beforeAll(async () => {
  devnet = run("npm run devnet");
  await waitUntil(() => devnet.output().includes("Press Ctrl-C to stop"), {
    timeout: START_TIMEOUT_MS,
    describe: () => `no screen:\n${devnet.output()}`,
  });
});
afterAll(async () => {
  await end(devnet);
  rmSync(checkout, { recursive: true, force: true });
});

test("with its settings Ponder's own command indexes the devnet, and takes up an edit of the API", async () => {
  const port = await freePort();
  const ponder = run(shownCommand(port));
  const ask = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: reply.status, text: await reply.text() };
  };
  const waitFor = (path: string, answer: { status: number; text?: string }) =>
    vi
      .waitFor(async () => expect(await ask(path)).toMatchObject(answer), {
        timeout: START_TIMEOUT_MS,
        interval: 100,
      })
      .catch((error) => expect.fail(`${error}\n${withoutRequests(ponder.output())}`));
  try {
    await waitFor("/whois/alice.eth", { status: 200 });

    const [before, after] = ["No operation has this path", "This answer was edited"];
    await waitFor("/nowhere", { status: 404, text: expect.stringContaining(before) });
    const file = join(checkout, "src/api/server/http/app.ts");
    const edited = readFileSync(file, "utf8").replace(before, after);
    writeFileSync(file, ""); // As an editor does that writes a file in two steps.
    await sleep(30);
    writeFileSync(file, edited);
    await waitUntil(() => ponder.output().includes("Hot reload"), {
      timeout: START_TIMEOUT_MS,
      describe: () => `no reload:\n${withoutRequests(ponder.output())}`,
    });
    // In quick succession: a reload waits for the server of the one before.
    for (let i = 0; i < 5; i++) {
      writeFileSync(file, edited);
      await sleep(150);
    }
    await waitFor("/nowhere", { status: 404, text: expect.stringContaining(after) });
    await waitFor("/whois/alice.eth", { status: 200 });
  } finally {
    await end(ponder);
  }
}, 900_000);
