import pg from "pg";

/** Connects, does the work and ends the connection; for programs and rounds that need one now and then. */
export async function withClient<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  client.on("error", () => {}); // The server may go away at any time: what is under way fails with it.
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
