/** One operation, as the service's OpenAPI document describes it. */
export type Operation = {
  method: string;
  path: string;
  /** Names of its parameters, by location. */
  inPath: readonly string[];
  inQuery: readonly string[];
  statuses: readonly number[];
};

type Described = { parameters?: { name: string; in: string }[]; responses: Record<string, unknown> };

/** All operations that the service has. */
export async function readOperations(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], responses }]) => ({
      method,
      path,
      inPath: parameters.filter((one) => one.in === "path").map(({ name }) => name),
      inQuery: parameters.filter((one) => one.in === "query").map(({ name }) => name),
      statuses: Object.keys(responses).map(Number),
    })),
  );
}
