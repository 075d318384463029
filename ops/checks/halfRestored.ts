import { SettingsError } from "../../settings/settings.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";

/** A table that exists in an index's schema while a snapshot is being restored. */
export const RESTORE_MARK = "unfinished_restore";

/** @throws SettingsError if a restore into the schema was begun and has not come to its end */
export async function requireNoHalfRestore({
  databaseUrl,
  schema,
}: {
  databaseUrl: string;
  schema: string;
}): Promise<void> {
  const { rows } = await withClient({ connectionString: databaseUrl }, (client) =>
    client.query<{ is: boolean }>("select to_regclass($1) is not null as is", [
      `"${schema}".${RESTORE_MARK}`,
    ]),
  );
  if (!rows[0]?.is) return;
  throw new SettingsError(
    `DATABASE_SCHEMA: a snapshot is being restored into "${schema}". Wait for \`npm run snapshot -- restore\` to finish; if it was interrupted, run it again`,
  );
}
