import { SettingsError } from "../../settings/check.ts";

/** Exit code of a process that its supervisor should start again: what failed may work later. Source: sysexits.h, EX_TEMPFAIL. */
export const TRY_AGAIN = 75;
/** A new start fails in the same way. */
const GIVE_UP = 1;

/** A node or a database does not answer now. The message says which, as that of a setting does. */
export class UnavailableError extends SettingsError {
  override name = "UnavailableError";
}

/** How connections fail that another program may accept a while later. */
const UNREACHABLE = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH", "EAI_AGAIN"];

/** PostgreSQL has no place, is starting, or is stopping. Source: its appendix A, classes 53 and 57. */
const BUSY = ["53300", "57P01", "57P02", "57P03"];

/** How `pg` says that its connection has ended, or was not made in time: by words alone. */
const ENDED = /^(Connection terminated|Client has encountered a connection error|timeout expired)/;

/** Whether a connection was refused or cut, and no more than that. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = "" } = error as NodeJS.ErrnoException;
  return UNREACHABLE.includes(code) || ENDED.test(error.message);
}

/** Whether the same connection may be accepted later. */
export const passes = (error: unknown): boolean =>
  isUnreachable(error) || BUSY.includes(String((error as { code?: unknown } | null)?.code));

/** The exit code of a service that cannot start. */
export const codeOfFailure = (error: unknown): number =>
  error instanceof UnavailableError || passes(error) ? TRY_AGAIN : GIVE_UP;
