import { createServer } from "node:net";

/** Below the ports that the system hands out by itself: no other program gets a chosen port before we use it. */
const FIRST_PORT = 10_000;
const PORTS_OF_A_RANGE = 5_000;

/** Each of vitest's workers looks in a range of its own, and processes of other runs begin elsewhere in it. */
const range = Number(process.env.VITEST_POOL_ID ?? 0) % 4;
let offset = process.pid * 97;

/** A free port: `preferred` if possible, else one of the next twenty, else one that was not given yet. */
export async function freePort(preferred = 0): Promise<number> {
  for (let port = preferred; preferred > 0 && port < preferred + 20; port++) {
    if (await isFree(port)) return port;
  }
  for (;;) {
    const port = FIRST_PORT + range * PORTS_OF_A_RANGE + (offset++ % PORTS_OF_A_RANGE);
    if (await isFree(port)) return port;
  }
}

/** Whether a server could listen on this port now, on every interface. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "0.0.0.0", "::"]) {
    const outcome = await listenOnce(port, host);
    if (outcome === "EADDRINUSE" || outcome === "EACCES") return false;
  }
  return true;
}

/** The code of the error, if there is one. */
function listenOnce(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer().once("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
