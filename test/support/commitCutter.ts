import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** `lost`: the commit does not reach the server, which rolls back. `unheard`: it is done, and its reply does not come back. */
export type CommitFault = "lost" | "unheard";

/** A way to a PostgreSQL server on which commits can be cut. */
export type CommitCutter = {
  /** The way to the same database. */
  url: string;
  /** Cuts the connection at the next commit of a transaction that wrote rows of a table; tells when it has. */
  cutNext: (fault: CommitFault, table: string) => Promise<void>;
  close: () => Promise<void>;
};

type Wanted = { fault: CommitFault; write: RegExp; cut: () => void };

const isCommit = (chunk: Buffer) => chunk.includes("commit\0");

/** Stands between callers and the server of `databaseUrl`. */
export async function startCommitCutter(databaseUrl: string): Promise<CommitCutter> {
  const target = new URL(databaseUrl);
  const wanted: Wanted[] = [];
  const open = new Set<Socket>();
  const server = createServer((caller) => {
    const upstream = connect(Number(target.port), target.hostname);
    const both = [caller, upstream];
    const end = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", () => {
        open.delete(socket);
        end();
      });
    }
    /** What a transaction sent is looked at from one commit to the next. */
    const seen = new Set<Wanted>();
    let isUnheard = false;
    caller.on("data", (chunk) => {
      for (const one of wanted) if (one.write.test(chunk.toString("latin1"))) seen.add(one);
      const cut = isCommit(chunk) ? wanted.find((one) => seen.has(one)) : undefined;
      if (isCommit(chunk)) seen.clear();
      if (cut !== undefined) wanted.splice(wanted.indexOf(cut), 1);
      if (cut?.fault === "lost") {
        end();
        cut.cut();
        return;
      }
      if (cut?.fault === "unheard") {
        isUnheard = true;
        upstream.once("data", () => {
          end();
          cut.cut();
        });
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!isUnheard) caller.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutNext: (fault, table) => {
      const write = new RegExp(`(COPY|insert into) ("\\w+"\\.)?"${table}"`);
      return new Promise((cut) => wanted.push({ fault, write, cut }));
    },
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, "close");
    },
  };
}
