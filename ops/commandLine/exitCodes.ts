import { SettingsError } from "../../settings/check.ts";
import { isDatabaseAway } from "../../src/api/server/postgres/databaseErrors.ts";

/** Exit code of a process that its supervisor should start again: what failed may work later. Source: sysexits.h, EX_TEMPFAIL. */
export const TRY_AGAIN = 75;
/** A new start fails in the same way. */
const GIVE_UP = 1;

/** A node or a database does not answer now. The message says which, as that of a setting does. */
export class UnavailableError extends SettingsError {
  override name = "UnavailableError";
}

/** The exit code of a service that cannot start. */
export const codeOfFailure = (error: unknown): number =>
  error instanceof UnavailableError || isDatabaseAway(error) ? TRY_AGAIN : GIVE_UP;
