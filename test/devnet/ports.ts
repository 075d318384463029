import { createServer } from "node:net";

/** A port that nobody listens on: `preferred` if it is free, else one of the next twenty, else any. */
export async function freePort(preferred = 0): Promise<number> {
  for (let port = preferred; preferred > 0 && port < preferred + 20; port++) {
    if (await isFree(port)) return port;
  }
  return listenOnce(0, "127.0.0.1");
}

/** Whether a server could listen on this port now, on every interface. */
export async function isFree(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "0.0.0.0", "::"]) {
    const outcome = await listenOnce(port, host).catch((error: NodeJS.ErrnoException) => error.code);
    if (outcome === "EADDRINUSE" || outcome === "EACCES") return false;
  }
  return true;
}

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}
