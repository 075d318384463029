import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { type HostileStage, VICTIM } from "../stage.ts";

/** Two alternating addresses, behind the proxy that the stage trusts. */
const addressOf = (index: number) => `X-Forwarded-For: 192.0.2.${(index % 2) + 1}`;

const request = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, "Host: names.example", ...headers].join("\r\n")}\r\n\r\n`;

/** Opens connections to the port for callers. Each sends its bytes. */
async function openAll({ front }: HostileStage, count: number, bytesOf: (index: number) => string) {
  const sockets = Array.from({ length: count }, () => connect(Number(new URL(front).port), "127.0.0.1"));
  for (const socket of sockets) socket.on("error", () => {});
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const [index, socket] of sockets.entries()) socket.write(bytesOf(index));
  return sockets;
}

const destroyAll = (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
};

/** How long attackers stay: longer than many questions from others take. */
const STAY_MS = 5_000;

const pipelining = (connections: number, requests: number): Attack => ({
  name: `${connections} connections with ${requests.toLocaleString("en")} requests in one packet each`,
  run: async (stage) => {
    const bytes = request(`GET /whois/${VICTIM}`).repeat(requests);
    const sockets = await openAll(stage, connections, () => bytes);
    for (const socket of sockets) socket.resume();
    await sleep(STAY_MS);
    destroyAll(sockets);
    return { names: [VICTIM] };
  },
});

/** Fewer than one caller may have streams. */
const AT_ONCE = 10;

/** @throws if others get no stream afterwards */
const streamsWithoutReader = (byHead: number, reset: number): Attack => ({
  name: `${byHead.toLocaleString("en")} streams asked for by HEAD, and ${reset} that are reset at once`,
  run: async (stage) => {
    const path = "/changes/stream";
    for (let i = 0; i < byHead; i += AT_ONCE) {
      const asked = Array.from({ length: AT_ONCE }, () => fetch(`${stage.front}${path}`, { method: "HEAD" }));
      for (const reply of await Promise.all(asked)) {
        if (reply.status !== 200) throw new Error(`HEAD ${path}: ${reply.status}`);
      }
    }
    for (let i = 0; i < reset; i++) {
      const [socket] = (await openAll(stage, 1, () => request(`GET ${path}`))) as [Socket];
      await sleep(i % 4);
      socket.resetAndDestroy();
    }
    const leaving = new AbortController();
    const reply = await fetch(`${stage.front}${path}`, { signal: leaving.signal });
    leaving.abort();
    if (reply.status !== 200) throw new Error(`${path} afterwards: ${reply.status}`);
    return { names: [VICTIM] };
  },
});

const slowUploads = (count: number): Attack => ({
  name: `${count} bodies that hardly come, from two addresses`,
  run: async (stage) => {
    const sockets = await openAll(
      stage,
      count,
      (i) => `${request("POST /whois/bulk", addressOf(i), "Content-Length: 1000000")}{`,
    );
    const drip = setInterval(() => {
      for (const socket of sockets) socket.write(" ");
    }, 200);
    await sleep(STAY_MS);
    clearInterval(drip);
    destroyAll(sockets);
    return { names: [VICTIM] };
  },
});

/** Half of them declare the length of their body, half send it in chunks; all leave in the middle of it. */
const cutBodies = (count: number): Attack => ({
  name: `${count} bodies that are cut off`,
  run: async (stage) => {
    const lengths = ["Content-Length: 1000000", "Transfer-Encoding: chunked"];
    const bytes = (i: number) => `${request("POST /whois/bulk", lengths[i % 2] as string)}5\r\n[[[[[\r\n`;
    for (let sent = 0; sent < count; sent += 100) {
      const sockets = await openAll(stage, 100, bytes);
      await sleep(20);
      for (const socket of sockets) socket.resetAndDestroy();
    }
    return { names: [VICTIM] };
  },
});

const slowReaders = (count: number): Attack => ({
  name: `${count} answers that are hardly read, from two addresses`,
  run: async (stage) => {
    const sockets = await openAll(stage, count, (i) =>
      request("GET /subgraph/graphiql.js", addressOf(i)).repeat(3),
    );
    for (const socket of sockets) socket.pause();
    await sleep(STAY_MS);
    destroyAll(sockets);
    return { names: [VICTIM] };
  },
});

/** Attacks by connections alone. */
export const attacksByConnections: readonly Attack[] = [
  pipelining(20, 2_000),
  streamsWithoutReader(2_100, 300),
  cutBodies(500),
];

/** The same on a gateway in front, whose places can be taken. */
export const attacksAtGateway: readonly Attack[] = [
  ...attacksByConnections,
  slowUploads(100),
  slowReaders(100),
].map(({ name, run }) => ({ name: `at the gateway: ${name}`, run }));
