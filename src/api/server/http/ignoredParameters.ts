import type { Context } from "hono";
import { input } from "../../names/schemas/input.ts";
import { ApiError } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** Names in one header or error; a caller who sends more learns enough from these. */
const MAX_NAMES = 10;
/** Longer than the name of any parameter. */
const MAX_NAME_LENGTH = 64;

/** Operations of other name service indexes, whose callers may send parameters that this one does not have. */
export const lenient: ReadonlySet<string> = new Set([
  "/whois/{name}",
  "/whois/bulk",
  "/search-domains",
  "/domain/{name}/events",
  "/domain/{name}/subdomains",
  "/domain/{name}/registration-history",
  "/domain/{name}/records",
  "/domain/{name}/records/text/{key}",
  "/domain/{name}/records/text/{key}/history",
  "/domain/{name}/ownership-history",
  "/domain/{name}/resolver-history",
  "/domain/{name}/agent",
  "/lookup-hash/{hash}",
  "/lookup-namehash/{hash}",
  "/lookup-labelhash/{hash}",
  "/agents",
  "/agents/{agentId}",
  "/address/{address}/domains",
  "/address/{address}/domain-count",
  "/address/{address}/primary-name",
  "/address/primary-names/bulk",
  "/address/{address}/summary",
  "/address/{address}/previous-domains",
  "/stats",
  "/pending-stats",
  "/ens-stats",
  "/ens-stats/registrations",
  "/ens-stats/distribution",
  "/ens-stats/primary-names",
  "/ens-stats/recent-activity",
]);

/** What an operation takes besides its own parameters. */
export const commonOf = ({ path }: Pick<Endpoint, "path">) => ({
  strict: input.flag(
    "strict",
    "`true`: unknown parameters are an error. `false`: they are ignored, and `X-Ignored-Parameters` names them",
    !lenient.has(path),
  ),
});

/**
 * The header that names unknown parameters, without which a misspelt filter would go unnoticed. The names are percent-encoded,
 * because the caller wrote them.
 *
 * @throws ApiError INVALID_PARAMETER if there are any and the request is strict
 */
export function ignoredParameters(
  c: Context,
  { query }: Endpoint,
  { strict }: { strict: boolean },
): Record<string, string> {
  const unknown = Object.keys(c.req.query()).filter(
    (name) => !Object.hasOwn(query.shape, name) && name !== "strict",
  );
  if (unknown.length === 0) return {};
  const names = unknown
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))
    .join(", ");
  if (strict) {
    throw new ApiError("INVALID_PARAMETER", `This operation does not have these parameters: ${names}.`);
  }
  return { "X-Ignored-Parameters": names };
}
