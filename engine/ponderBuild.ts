import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { ponderModule, quietLogger } from "./ponderModule.ts";
import { isReorgTable, REORG_SEQUENCE, reorgTableOf } from "./restorePoint.ts";

// What this checkout, with its settings, makes of a database. Ponder works it out at each start and offers it nowhere,
// so its own build is run as far as it needs no node. test/engine/ponderBuild.test.ts holds it against a real Ponder.

/** What Ponder would build. */
export type PonderBuild = {
  /** Ponder's name of the code, schema and configuration. Tables of another build are refused at the start. */
  buildId: string;
  /** Names of the tables that handlers write, and of declared views. */
  tables: string[];
  views: string[];
  /** Statements that create these, the tables of changes that are not final yet, and functions, in order. */
  statements: string[];
};

/** The first part of what Ponder hashes (`BUILD_ID_VERSION` of build/index.js). */
const BUILD_ID_VERSION = "2";
const BUILD_ID_LENGTH = 10;

type Outcome<T> = { status: "success"; result: T } | { status: "error"; error: Error };
type Hashed = { contentHash: string };
type Declared = { tables: { sql: string[]; json: { tableName: string }[] } } & Record<
  "views" | "enums",
  { sql: string[]; json: { name: string }[] }
>;

/** The part of Ponder's build that is used. */
type Build = {
  namespaceCompile: () => Outcome<object>;
  executeConfig: () => Promise<Outcome<Hashed>>;
  executeSchema: () => Promise<Outcome<Hashed & { schema: object }>>;
  executeIndexingFunctions: () => Promise<Outcome<Hashed>>;
  preCompile: (configResult: object) => Outcome<object>;
  compileSchema: (schema: object) => Outcome<{ statements: Declared }>;
};

/**
 * Runs Ponder's build for a schema. It reads the settings as `npm start` does, and asks neither node nor database.
 *
 * @throws Error if the project cannot be built
 */
export async function readPonderBuild(schema: string): Promise<PonderBuild> {
  const [{ createBuild }, { buildOptions }, { createShutdown }] = await Promise.all(
    ["build/index.js", "internal/options.js", "internal/shutdown.js"].map(ponderModule),
  );
  const cliOptions = { command: "start", config: "ponder.config.ts", root: projectRoot, schema };
  const shutdown = createShutdown();
  const common = {
    options: buildOptions({ cliOptions }),
    logger: quietLogger,
    shutdown,
    buildShutdown: shutdown,
  };
  try {
    return await describe(await createBuild({ common, cliOptions }), schema);
  } finally {
    await shutdown.kill();
  }
}

const projectRoot = fileURLToPath(new URL("..", import.meta.url));

async function describe(build: Build, schema: string): Promise<PonderBuild> {
  unwrap(build.namespaceCompile());
  const config = unwrap(await build.executeConfig());
  const declared = unwrap(await build.executeSchema());
  const handlers = unwrap(await build.executeIndexingFunctions());
  const preBuild = unwrap(build.preCompile(config));
  const { statements } = unwrap(build.compileSchema({ ...declared, preBuild }));
  const hash = createHash("sha256").update(BUILD_ID_VERSION);
  for (const { contentHash } of [config, declared, handlers]) hash.update(contentHash);
  const tables = statements.tables.json
    .map(({ tableName }) => tableName)
    .filter((name) => !isReorgTable(name));
  return {
    buildId: hash.digest("hex").slice(0, BUILD_ID_LENGTH),
    tables,
    views: statements.views.json.map(({ name }) => name),
    statements: [
      `CREATE SEQUENCE "${schema}"."${REORG_SEQUENCE}" AS integer INCREMENT BY 1`,
      ...statements.enums.sql,
      ...statements.tables.sql,
      ...tables.map((table) => checkpointIndex(schema, table)),
      ...statements.views.sql,
      ...(await liveQueryProcedures(schema)),
    ],
  };
}

function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.status === "error") throw outcome.error;
  return outcome.result;
}

/** As `migrate` of database/index.js creates it. */
const checkpointIndex = (schema: string, table: string): string =>
  `CREATE INDEX "${table}_checkpoint_index" ON "${schema}"."${reorgTableOf(table)}" ("checkpoint")`;

/** What database/actions.js sends to a database that it makes these functions in. */
async function liveQueryProcedures(schema: string): Promise<string[]> {
  const { createLiveQueryProcedures } = await ponderModule("database/actions.js");
  const sent: string[] = [];
  const recorder = {
    execute: async (statement: string) => void sent.push(statement),
    wrap: (send: (tx: object) => Promise<void>) => send(recorder),
    transaction: (work: (tx: object) => Promise<void>) => work(recorder),
  };
  await createLiveQueryProcedures(recorder, { namespaceBuild: { schema } });
  return sent;
}
