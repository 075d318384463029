import { type DatabaseSettings, databaseVariables } from "../../settings/database.ts";
import { SettingsError } from "../../settings/settings.ts";
import { queriesOf } from "../../src/api/server/postgres/client.ts";
import { messageOf, READ_ONLY } from "../../src/api/server/postgres/databaseErrors.ts";
import { findPrimary } from "../../src/api/server/postgres/primaryPool.ts";
import { isSameDatabase, readServer, type Server } from "../../src/api/server/postgres/servers.ts";
import { UnavailableError } from "../commandLine/exitCodes.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import { onDatabase, placeOf } from "./database.ts";

type Given = Pick<DatabaseSettings, "databaseUrl" | "serviceDatabaseUrls">;

/**
 * Looks whether the program may write where it has to: an indexer needs the primary, a replica that reads a standby the primary of the
 * same database beside it.
 *
 * @throws SettingsError that names the setting and the remedy, UnavailableError while no server is the primary
 */
export async function requireServers(
  command: "start" | "serve",
  { databaseUrl, serviceDatabaseUrls }: Given,
): Promise<void> {
  const index = await onDatabase(databaseUrl, (client) => readServer(queriesOf(client)));
  if (index.isStandby) requirePrimaryBeside(command, databaseUrl, serviceDatabaseUrls);
  if (isOnlyServer(databaseUrl, serviceDatabaseUrls)) return;
  requireSame(index, { databaseUrl, primary: await findServicePrimary(serviceDatabaseUrls) });
}

/** @throws UnavailableError while none of the servers is a primary, as in the minutes of a failover */
export const findServicePrimary = (urls: readonly string[]): ReturnType<typeof findPrimary> =>
  findPrimary(urls).catch((error: Error & { code?: string }) => {
    const why = error.code === READ_ONLY ? "all of them are standbys" : onOneLine(messageOf(error));
    throw new UnavailableError(
      `SERVICE_DATABASE_URL: no primary among ${urls.map(placeOf).join(", ")} (${why})`,
    );
  });

/** Whether no other server than that of the index is given for the service's own tables. */
export const isOnlyServer = (databaseUrl: string, serviceUrls: readonly string[]): boolean =>
  serviceUrls.length === 1 && serviceUrls[0] === databaseUrl;

function requirePrimaryBeside(
  command: "start" | "serve",
  databaseUrl: string,
  serviceUrls: readonly string[],
) {
  const found = `${placeOf(databaseUrl)} is a standby, which is read-only`;
  if (command === "start") {
    throw new SettingsError(
      `DATABASE_URL: ${found}: npm start needs the primary. To serve from a standby, run npm run serve`,
    );
  }
  if (!isOnlyServer(databaseUrl, serviceUrls)) return;
  const { example } = databaseVariables.SERVICE_DATABASE_URL;
  throw new SettingsError(
    `SERVICE_DATABASE_URL is not set: DATABASE_URL (${found}), so the service's own tables need its primary, for example SERVICE_DATABASE_URL=${example}`,
  );
}

/** Tables of the service are joined with those of the index, and name it by its schema alone. */
function requireSame(
  index: Server,
  { databaseUrl, primary }: { databaseUrl: string; primary: { url: string; server: Server } },
): void {
  if (isSameDatabase(index, primary.server)) return;
  throw new SettingsError(
    `SERVICE_DATABASE_URL: ${placeOf(primary.url)} is not the primary of DATABASE_URL (${placeOf(databaseUrl)}): set its primary, or leave it unset if DATABASE_URL is the primary`,
  );
}
