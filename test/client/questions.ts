import { createNamedex, type NamedexError } from "namedex-client";
import type { OpenApiDocument } from "../../src/api/server/http/routes.ts";

type Described = {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: { example?: unknown } }[];
  requestBody?: {
    content: Record<string, { schema: { properties: Record<string, { example?: unknown }> } }>;
  };
};

/** An operation as the document shows it, and the same request for both sides. */
export type Question = {
  method: string;
  group: string;
  parameters: Record<string, unknown>;
  request: [string, RequestInit];
  /** Its path in the document, and its method. */
  declared: [path: string, method: string];
};

/** Each operation with its document's examples: the demo has the names in them. */
export function questionsOf(document: OpenApiDocument): Question[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, described]) => {
      const { operationId, tags, parameters = [], requestBody } = described;
      const inPath = parameters
        .filter(({ required }) => required)
        .map(({ name, schema }) => [name, schema.example]);
      const fields = requestBody?.content["application/json"]?.schema.properties ?? {};
      const inBody = Object.entries(fields).map(([name, { example }]) => [name, example]);
      const filled = inPath.reduce(
        (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
        path,
      );
      const body = JSON.stringify(Object.fromEntries(inBody));
      const headers = { "content-type": "application/json" };
      return {
        method: operationId.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        group: tags[0] ?? "",
        parameters: Object.fromEntries([...inPath, ...inBody]),
        declared: [path, method] as [string, string],
        request: [filled, { method, ...(requestBody && { body, headers }) }],
      };
    }),
  );
}

type AnyMethod = (...given: unknown[]) => Promise<unknown>;

/** Calls the client: its answer, or the error as the API writes it. */
export async function askClient(url: string, { method, parameters }: Question): Promise<unknown> {
  const call = createNamedex({ url, retries: 0 })[method as "getEnsStats"] as AnyMethod;
  const given = Object.keys(parameters).length > 0 ? [parameters] : [];
  return call(...given).catch(({ code, message }: NamedexError) => ({ error: { code, message } }));
}

export async function askDirectly(url: string, { request: [path, init] }: Question): Promise<unknown> {
  const reply = await fetch(`${url}${path}`, init);
  const isJson = reply.headers.get("content-type")?.startsWith("application/json");
  return isJson ? reply.json() : reply.text();
}
