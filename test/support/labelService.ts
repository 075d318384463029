import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { labelhash } from "../../src/ens/name.ts";

/** A label service with ENSRainbow's protocol that answers 503 until it is opened, and then knows these labels and no others. */
export type LabelServiceDouble = {
  /** Settings of a Namedex that asks it. */
  settings: Record<string, string>;
  /** As `labels.source` names it. */
  source: string;
  open: (labels: readonly string[]) => void;
  /** Hashes that it was asked for since it was opened. */
  answered: () => readonly string[];
  close: () => Promise<void>;
};

export async function startLabelService(): Promise<LabelServiceDouble> {
  let known: ReadonlyMap<string, string> | undefined;
  const answered: string[] = [];
  const server = createServer(({ url = "" }, reply) => {
    const [, hash = ""] = /^\/v1\/heal\/(0x[0-9a-f]{64})\?/.exec(url) ?? [];
    const answer = (status: number, body: object) =>
      reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (known === undefined) return answer(503, { status: "error", error: "not ready", errorCode: 503 });
    answered.push(hash);
    const label = known.get(hash);
    if (label !== undefined) return answer(200, { status: "success", label });
    return answer(404, { status: "error", error: "Label not found", errorCode: 404 });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { LABEL_HEALING_URL: url, LABEL_HEALING_SET: "words@7" },
    source: "service:words@7",
    open: (labels) => {
      known = new Map(labels.map((label) => [labelhash(label), label]));
    },
    answered: () => answered,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
