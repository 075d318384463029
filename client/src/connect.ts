import { InvalidRequestError, toNamedexError } from "./errors.ts";
import { createClient, createConfig } from "./openapi/client/index.ts";
import { postWebhooks } from "./openapi/sdk.gen.ts";
import { read } from "./read.ts";
import { type RetryLimits, withRetries } from "./retry.ts";

/** Where to ask, and how. */
export type NamedexConfig = RetryLimits & {
  /** Address of a Namedex: `https://names.example.org`, with or without `/api`. */
  url: string;
  /** Key of a metered service. It is sent to `url` only, and never follows a redirect. */
  apiKey?: string;
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof fetch;
};

/** What each call takes beside its parameters. */
export type CallOptions = {
  /** Ends the call: its request, its waits and all further requests. */
  signal?: AbortSignal | undefined;
  /** Headers beside those of the client. */
  headers?: Record<string, string>;
};

/** A generated operation. */
// biome-ignore lint/suspicious/noExplicitAny: each has parameters of its own, and a function that takes fewer is one, too.
export type Operation = (...given: any[]) => Promise<unknown>;

/** What an operation answers. */
export type AnswerOf<Asked extends Operation> = Exclude<Awaited<ReturnType<Asked>>, undefined>;

/** What an operation takes; undefined where it takes nothing. */
export type ParametersOf<Asked extends Operation> = Parameters<Asked>["length"] extends 0 | 1
  ? undefined
  : Exclude<Parameters<Asked>[0], undefined>;

/** What follows an operation in a call: its parameters, which may be left out if all of them may, and options. */
export type Given<Asked extends Operation> =
  ParametersOf<Asked> extends undefined
    ? [parameters?: undefined, options?: CallOptions]
    : undefined extends Parameters<Asked>[0]
      ? [parameters?: ParametersOf<Asked>, options?: CallOptions]
      : [parameters: ParametersOf<Asked>, options?: CallOptions];

/** Asks by one operation. A program that imports only the operations that it asks has no others in it. */
export type Ask = <Asked extends Operation>(
  operation: Asked,
  ...given: Given<Asked>
) => Promise<AnswerOf<Asked>>;

/**
 * Asks the Namedex at `url` by operations that are imported one by one.
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

/** The same; answers are the JSON as it comes. */
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

/** Whether a request can be sent again that may have arrived: not one that makes something each time. */
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

/** What the API answers in. */
const answerTypes = ["application/json", "text/calendar"];

/** A page of something that is no Namedex is no answer, though its status says so. */
function requireAnswer({ headers }: Response): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim() ?? "none";
  if (!answerTypes.includes(type)) throw new TypeError(`The answer has the type ${type}`);
}

/** A URL with the part `.` or `..` is one of another path: it would ask for something else. */
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
