import { InvalidRequestError, toNamedexError } from "./errors.ts";
import { createClient, createConfig } from "./openapi/client/index.ts";
import { postWebhooks } from "./openapi/sdk.gen.ts";
import { read } from "./read.ts";
import { type RetryLimits, withRetries } from "./retry.ts";

/** The server, the key, and the limits of retries. */
export type NamedexConfig = RetryLimits & {
  /** URL of a Namedex: `https://names.example.org`, with or without `/api`. In a browser it may be relative to the page. */
  url: string;
  /** API key of a metered service. It is sent only to `url`; redirects are refused. */
  apiKey?: string;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
};

/** Options of each call, after its parameters. */
export type CallOptions = {
  /** Aborts the call, its waits and its further requests. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Additional request headers. */
  headers?: Record<string, string>;
};

/** A generated operation. */
// biome-ignore lint/suspicious/noExplicitAny: each has parameters of its own, and a function that takes fewer is one, too.
export type Operation = (...given: any[]) => Promise<unknown>;

/** The answer of an operation. */
export type AnswerOf<Asked extends Operation> = Exclude<Awaited<ReturnType<Asked>>, undefined>;

/** The parameters of an operation; undefined if it has none. */
export type ParametersOf<Asked extends Operation> = Parameters<Asked>["length"] extends 0 | 1
  ? undefined
  : Exclude<Parameters<Asked>[0], undefined>;

/** The arguments after an operation: its parameters, optional if all of them are, and options. */
export type Given<Asked extends Operation> =
  ParametersOf<Asked> extends undefined
    ? [parameters?: undefined, options?: CallOptions]
    : undefined extends Parameters<Asked>[0]
      ? [parameters?: ParametersOf<Asked>, options?: CallOptions]
      : [parameters: ParametersOf<Asked>, options?: CallOptions];

/** Calls one operation. Only imported operations end up in the bundle. */
export type Ask = <Asked extends Operation>(
  operation: Asked,
  ...given: Given<Asked>
) => Promise<AnswerOf<Asked>>;

/**
 * A client for operations imported one by one. Its answers are those of {@link createNamedex}.
 *
 * @throws TypeError if `url` is not an http or https URL. Calls reject with a {@link NamedexError}.
 *
 * @example
 * const ask = connect({ url: "https://names.example.org" });
 * const alice = await ask(getWhoisByName, { name: "alice.eth" });
 */
export function connect(config: NamedexConfig): Ask {
  const ask = connectForJson(config);
  return (async (operation: Operation, parameters?: unknown, options?: CallOptions) =>
    read(await ask(operation, parameters, options))) as Ask;
}

/** The same, with the plain JSON as the answer. */
export function connectForJson({ url, apiKey, fetch, ...limits }: NamedexConfig) {
  const client = createClient(
    createConfig({
      baseUrl: checkUrl(url),
      throwOnError: true,
      redirect: "error",
      ...(apiKey !== undefined && { auth: apiKey }),
      ...(fetch && { fetch }),
    }),
  );
  client.interceptors.request.use((request, { path }) => {
    refuseDotSegments(path);
    return request;
  });
  client.interceptors.response.use((response) => {
    if (response.ok) requireAnswer(response);
    return response;
  });
  client.interceptors.error.use((thrown, response, request) =>
    request?.signal.aborted ? request.signal.reason : toNamedexError(thrown, response),
  );
  return (
    operation: Operation,
    parameters?: unknown,
    { signal, headers }: CallOptions = {},
  ): Promise<unknown> => {
    const sent = { client, ...(signal && { signal }), ...(headers && { headers }) };
    // The generated functions take parameters, if the operation has any, and then options.
    const given = operation.length > 1 ? [parameters, sent] : [sent];
    return withRetries(
      () => operation(...given),
      isRepeatable(operation) ? limits : noRetries(limits),
      signal,
    );
  };
}

/** Whether a request may be repeated after it may have arrived: not if it creates something each time. */
const isRepeatable = (operation: Operation): boolean => operation !== postWebhooks;

const noRetries = (limits: RetryLimits): RetryLimits => ({ ...limits, retries: 0 });

/** In a browser `url` may be relative to the page. */
export function checkUrl(url: string): string {
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const parsed = new URL(url, page);
  if (!/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`\`url\` must begin with http:// or https://, not ${parsed.protocol}`);
  }
  return `${parsed.origin}${parsed.pathname}`;
}

/** Content types of the API. */
const answerTypes = ["application/json", "text/calendar"];

/** Rejects the page of another program, even with status 200. */
function requireAnswer({ headers }: Response): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim() ?? "none";
  if (!answerTypes.includes(type)) throw new TypeError(`The answer has the type ${type}`);
}

/** A path segment `.` or `..` would turn the URL into another one. */
function refuseDotSegments(path: Record<string, unknown> | undefined): void {
  for (const [parameter, value] of Object.entries(path ?? {})) {
    if (value !== "." && value !== "..") continue;
    const code = parameter === "name" ? "INVALID_NAME" : "INVALID_PARAMETER";
    throw new InvalidRequestError({
      code,
      message: `\`${parameter}\` cannot be \`${value}\`: no URL can hold it.`,
    });
  }
}
