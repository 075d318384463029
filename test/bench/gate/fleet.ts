import { endChild } from "../../devnet/children.ts";
import { type Server, serveIndex } from "../api/server.ts";
import { startGateway } from "../gateway/start.ts";

/** What is asked, and how it is named in the rows. */
export type Fleet = { name: string; url: string; stop: () => Promise<void> };

type Plan = Parameters<typeof serveIndex>[1];

/** The gateway before the server and others like it. */
export async function startReplicas(
  server: Server,
  { replicas, ...plan }: Plan & { replicas: number },
): Promise<Fleet> {
  const more: Awaited<ReturnType<typeof serveIndex>>[] = [];
  for (let i = 0; i < replicas; i++) more.push(await serveIndex(server.databaseUrl, plan));
  const gateway = await startGateway([server.url, ...more.map(({ url }) => url)]);
  return {
    name: `${replicas + 1} processes behind the gateway`,
    url: gateway.url,
    stop: async () => {
      await gateway.stop();
      await Promise.all(more.map(({ child }) => endChild(child)));
    },
  };
}
