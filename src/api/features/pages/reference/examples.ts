import { type Endpoint, toolViewsOf } from "../../../server/http/endpoint.ts";
import { formOf, JSON_TYPE, type Listed } from "../described.ts";

/** A request of an operation, from the examples of its declaration: what is needed, and of a body all. */
export type ExampleRequest = {
  /** Path and query, from the root of the service. */
  path: string;
  body: Record<string, unknown> | null;
  /** Given values, by parameter name. */
  given: Record<string, unknown>;
};

export function exampleRequest({ path, operation }: Listed): ExampleRequest {
  const { parameters = [], requestBody } = operation;
  const needed = parameters.filter(({ required }) => required);
  const values = Object.fromEntries(needed.map(({ name, schema }) => [name, schema?.example ?? name]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name] ?? name)));
  const query = new URLSearchParams(
    needed
      .filter((one) => one.in === "query")
      .map(({ name }): [string, string] => [name, String(values[name])]),
  ).toString();
  const fields = requestBody?.content?.[JSON_TYPE]?.schema?.properties;
  const body =
    fields === undefined
      ? null
      : Object.fromEntries(
          Object.entries(fields).flatMap(([name, { example }]) =>
            example === undefined ? [] : [[name, example]],
          ),
        );
  return {
    path: `${filled.slice(1)}${query === "" ? "" : `?${query}`}`,
    body,
    given: { ...values, ...body },
  };
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

type Plan = { listed: Listed; needsKey: boolean };

/** Placeholder for the service's address in examples, until a page is sent. */
export const ORIGIN = "https://namedex.example";

/** The request by curl. */
export function curlOf({ listed, needsKey }: Plan): string {
  const { path, body } = exampleRequest(listed);
  const url = inQuotes(`${ORIGIN}/${path}`);
  return [
    `curl ${listed.method === "GET" ? "" : `-X ${listed.method} `}${url}`,
    needsKey && `-H "X-API-Key: $KEY"`,
    body && `-H 'Content-Type: application/json'`,
    body && `-d ${inQuotes(JSON.stringify(body))}`,
  ]
    .filter((part) => part !== false && part !== null)
    .join(" \\\n  ");
}

/** Only text here: the service itself asks by server/outgoing alone, which a test looks for. */
const FETCH = "fetch";

/** The request by fetch, in any runtime. */
export function fetchOf({ listed, needsKey }: Plan): string {
  const { path, body } = exampleRequest(listed);
  const headers = {
    ...(needsKey && { "X-API-Key": "KEY" }),
    ...(body && { "Content-Type": "application/json" }),
  };
  const options = [
    listed.method !== "GET" && `method: ${JSON.stringify(listed.method)}`,
    Object.keys(headers).length > 0 && `headers: ${JSON.stringify(headers).replace('"KEY"', "KEY")}`,
    body && `body: JSON.stringify(${JSON.stringify(body)})`,
  ].filter((part) => part !== false && part !== null);
  const given = options.length === 0 ? "" : `, {\n  ${options.join(",\n  ")},\n}`;
  const reading = formOf(listed.operation.responses["200"] ?? {});
  const read = reading === JSON_TYPE ? "json" : reading.startsWith("image/") ? "blob" : "text";
  return [
    `const response = await ${FETCH}(${JSON.stringify(`${ORIGIN}/${path}`)}${given});`,
    `if (!response.ok) throw new Error((await response.json()).error.message);`,
    `const answer = await response.${read}();`,
  ].join("\n");
}

/** The method of the TypeScript client: `get_domain_events` is `getDomainEvents`. */
export const methodOf = (operationId: string): string =>
  operationId.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export function clientOf({ listed, needsKey }: Plan): string {
  const { given } = exampleRequest(listed);
  if (listed.operation.operationId === "get_avatar_by_name") {
    return [
      `import { createNamedex } from "namedex-client";`,
      "",
      `const namedex = createNamedex({ url: "${ORIGIN}" });`,
      `image.src = namedex.avatarUrl(${JSON.stringify(given.name)});`,
    ].join("\n");
  }
  const parameters = Object.keys(given).length === 0 ? "" : JSON.stringify(given, null, 2);
  return [
    `import { createNamedex } from "namedex-client";`,
    "",
    `const namedex = createNamedex({ url: "${ORIGIN}"${needsKey ? ", apiKey: KEY" : ""} });`,
    `const answer = await namedex.${methodOf(listed.operation.operationId)}(${parameters});`,
  ].join("\n");
}

/** The call of the MCP tool that answers by an operation; null where none does. */
export function toolCallOf(operation: Endpoint, listed: Listed): { tool: string; call: string } | null {
  const [view] = toolViewsOf(operation);
  if (view === undefined) return null;
  const fixed = Object.keys(view.fixed ?? {});
  const { given } = exampleRequest(listed);
  // Tools take no objects as arguments.
  const isFlat = (value: unknown) => typeof value !== "object" || Array.isArray(value);
  const open = Object.entries(given).filter(([name, value]) => !fixed.includes(name) && isFlat(value));
  const named = { ...(view.view !== null && { view: view.view }), ...Object.fromEntries(open) };
  const call = { method: "tools/call", params: { name: view.name, arguments: named } };
  return { tool: view.name, call: JSON.stringify(call, null, 2) };
}
