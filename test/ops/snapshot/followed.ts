import { createPublicClient, http } from "viem";
import type { LocalChain } from "../../../devnet/localChain.ts";
import { readStatus } from "../../../devnet/ponder.ts";
import { createTestDatabase, openPool } from "../../support/database.ts";
import type { Stack } from "../../support/stack.ts";
import { prepareVersion, type Version, waitFor } from "../versions.ts";

/**
 * An index as `npm start` keeps it, in its own database, with what checks of tables and answers
 * need.
 */
export type Followed = Pick<Stack, "waitForHead" | "sql" | "api" | "schema"> & {
  version: Version;
  databaseUrl: string;
  close: () => Promise<void>;
};

const SCHEMA = "namedex_index";

/** An empty database, and an indexer for it that is not started yet. */
export async function prepareFollowed(
  { anvil, deployment }: LocalChain,
  env: Record<string, string> = {},
): Promise<Followed> {
  const database = await createTestDatabase();
  const pool = openPool({ connectionString: database.url, options: `-c search_path=${SCHEMA},public` });
  const rpc = { RPC_URL_31337: anvil.url, LIVE_RPC_URL: anvil.url };
  const version = await prepareVersion(deployment, {
    ...rpc,
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: SCHEMA,
    ...env,
  });
  const chain = createPublicClient({ transport: http(anvil.url) });
  return {
    version,
    databaseUrl: database.url,
    schema: SCHEMA,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    api: async <Body>(path: string) => {
      const reply = await fetch(`${version.url}${path}`);
      return { status: reply.status, body: (await reply.json()) as Body };
    },
    waitForHead: async () => {
      const head = await chain.getBlock({ blockTag: "latest" });
      const isHead = async () => {
        const block = (await readStatus(version.url))?.[deployment.name];
        return block?.number === Number(head.number) && block.timestamp === Number(head.timestamp);
      };
      await waitFor(isHead, () => `Block ${head.number} is not indexed:\n${version.output().slice(-4_000)}`);
    },
    close: async () => {
      await version.stop();
      await pool.end();
      await database.drop();
    },
  };
}
