import type { Document, Schema } from "./shape.ts";

/** Lists in answers that describe the answer and are not results. */
const besides = ["as_of", "not_covered"];

/** The fields of each paged answer that hold its results. */
export function listsOf(document: Document): string {
  const operations = Object.values(document.paths ?? {}).flatMap((methods) =>
    Object.values(methods),
  ) as unknown as {
    operationId: string;
    parameters?: { name: string }[];
    responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>;
  }[];
  const lists = operations.flatMap(({ operationId, parameters = [], responses }) => {
    const schema = responses?.["200"]?.content?.["application/json"]?.schema;
    const isPaged =
      parameters.some(({ name }) => name === "cursor") && schema?.properties?.next_cursor !== undefined;
    const lists = Object.entries(schema?.properties ?? {})
      .filter(([name, { type }]) => type === "array" && !besides.includes(name))
      .map(([name]) => name);
    if (!isPaged) return [];
    if (lists.length === 0) throw new Error(`${operationId}: which field is its list?`);
    return [[operationId.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), lists] as const];
  });
  const json = JSON.stringify(Object.fromEntries(lists), null, 2);
  return `// The fields with the results of each operation that answers in pages. Written by \`npm run client:generate\`.\n\nexport const listsOf = ${json} as const;\n`;
}
