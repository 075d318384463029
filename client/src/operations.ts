import { InvalidRequestError, toNamedexError } from "./errors.ts";
import { createClient, createConfig } from "./openapi/client/index.ts";
import * as generated from "./openapi/sdk.gen.ts";
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

type Generated = typeof generated;

/** Name of an operation: its `operationId` in camel case. */
export type OperationName = keyof Generated;

/** What an operation answers. */
export type Answer<Name extends OperationName> = Exclude<Awaited<ReturnType<Generated[Name]>>, undefined>;

/** What an operation takes. */
export type OperationParameters<Name extends OperationName> = Parameters<Generated[Name]>["length"] extends
  | 0
  | 1
  ? undefined
  : Exclude<Parameters<Generated[Name]>[0], undefined>;

type Call<Name extends OperationName> =
  OperationParameters<Name> extends undefined
    ? (options?: CallOptions) => Promise<Answer<Name>>
    : undefined extends Parameters<Generated[Name]>[0]
      ? (parameters?: OperationParameters<Name>, options?: CallOptions) => Promise<Answer<Name>>
      : (parameters: OperationParameters<Name>, options?: CallOptions) => Promise<Answer<Name>>;

/** Every operation of the API, as a function. */
export type Operations = { readonly [Name in keyof Generated]: Call<Name> };

/** The operations of one server. They need no `this`. */
export function createOperations({ url, apiKey, fetch, ...limits }: NamedexConfig): Operations {
  const client = createClient(
    createConfig({
      ...{ baseUrl: checkUrl(url), throwOnError: true, redirect: "error" },
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
  const calls = Object.entries(generated).map(([name, operation]) => {
    // The generated functions take parameters, if the operation has any, and then options.
    const hasParameters = operation.length > 1;
    const call = (...given: unknown[]) => {
      const [parameters, options] = hasParameters ? given : [undefined, given[0]];
      const { signal, headers } = (options ?? {}) as CallOptions;
      const sent = { client, ...(signal && { signal }), ...(headers && { headers }) };
      const ask = operation as (...args: unknown[]) => Promise<unknown>;
      const own = repeatable(name) ? limits : { ...limits, retries: 0 };
      return withRetries(() => (hasParameters ? ask(parameters, sent) : ask(sent)), own, signal);
    };
    return [name, call];
  });
  return Object.fromEntries(calls) as Operations;
}

/** Whether a request can be sent again that may have arrived: not one that makes something each time. */
const repeatable = (name: string): boolean => name !== ("postWebhooks" satisfies OperationName);

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
