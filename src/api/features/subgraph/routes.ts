import { type Context, Hono } from "hono";
import type { Caller } from "../../server/access/access.ts";
import { type ApiError, errorCodes, toLoggedError } from "../../server/errors/errors.ts";
import { compressed } from "../../server/http/compression.ts";
import type { OperationServer } from "../../server/http/routes.ts";
import { subgraphOperation } from "./operation.ts";
import type { GraphqlRequest } from "./query/plan.ts";
import { QueryError } from "./queryError.ts";

/** The paths that hosted subgraphs have: a program changes the host alone. Ids and names say nothing here. */
const hosted = ["/subgraphs/id/:id", "/subgraphs/name/:name", "/subgraphs/name/:owner/:name"];
export const subgraphPaths = ["/subgraph", ...hosted, ...hosted.map((path) => `/:apiKey${path}`)];

/**
 * The query language of the ENS subgraph: `POST /subgraph`, and under the paths of hosted subgraphs.
 *
 * @param shareOf whose queries a caller's count among
 */
export function subgraphRoutes(
  { executeOperation, callerOf, compresses = false }: OperationServer,
  shareOf: (caller: Caller) => string,
): Hono {
  const answer = async (c: Context): Promise<Response> => {
    try {
      const request = readRequest(await c.req.text());
      const caller = withKey(c, callerOf(c));
      const { reply, headers } = await executeOperation({
        operation: subgraphOperation,
        input: { request, share: shareOf(caller) },
        caller,
      });
      const body = compresses ? await compressed(c, reply) : reply;
      return c.body(body, 200, { ...headers, ...JSON_TYPE });
    } catch (thrown) {
      return errorAnswer(c, toLoggedError(thrown, c));
    }
  };
  const app = new Hono();
  app.on(
    "POST",
    subgraphPaths.flatMap((path) => [path, `${path}/`]),
    answer,
  );
  return app;
}

const JSON_TYPE = { "Content-Type": "application/json", "Cache-Control": "no-cache" };

/** The content type says nothing: some clients send JSON without it. @throws QueryError */
function readRequest(body: string): GraphqlRequest {
  const request = parsed(body);
  if (
    typeof request !== "object" ||
    request === null ||
    !("query" in request) ||
    typeof request.query !== "string"
  )
    throw new QueryError("The body must be a JSON object with a `query`");
  const { query, variables, operationName } = request as GraphqlRequest;
  return {
    query,
    variables,
    operationName: typeof operationName === "string" && operationName !== "" ? operationName : null,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new QueryError("The body is not valid JSON");
  }
}

const BEARER = /^bearer\s+(\S+)$/i;

/** Every path is below this one too: there it is not a key. */
const ALL_PATHS = "api";

/** The key is in `X-API-Key`, a bearer token, or the path. */
function withKey(c: Context, { address, header }: Caller): Caller {
  const bearer = BEARER.exec(header("authorization") ?? "")?.[1];
  const inPath = c.req.param("apiKey");
  const key = header("x-api-key") ?? bearer ?? (inPath === ALL_PATHS ? undefined : inPath);
  return { address, header: (name) => (name === "x-api-key" ? key : header(name)) };
}

/** What is wrong with a query comes with status 200, as from graph-node; who may not ask, and when, by its own. */
function errorAnswer(c: Context, { code, message, headers }: ApiError): Response {
  const { status } = errorCodes[code];
  return c.json({ errors: [{ message }] }, status === 400 ? 200 : status, headers);
}
