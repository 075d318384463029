import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import { webhookEndpoints } from "../../src/api/features/webhooks/operations.ts";
import { signupEndpoints } from "../../src/api/names/endpoints/signupEndpoints.ts";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import { operations } from "../support/operations.ts";
import { listsOf } from "./lists.ts";
import { ABSENT, type Document, GIVEN_SECONDS, shapeDocument } from "./shape.ts";

/** Path of the client's generated part. */
export const generatedFolder = fileURLToPath(new URL("../../client/src/openapi", import.meta.url));

/** Every operation that any Namedex may have: sign-up exists only where access is metered. */
const clientOperations = [...operations, ...webhookEndpoints({} as never), ...signupEndpoints({} as never)];

/** Writes types, functions and limits from the API's OpenAPI document. The folder's former content is removed. */
export async function generateClient(folder: string): Promise<void> {
  const document = openApiDocument(clientOperations, "metered");
  const plain = JSON.parse(JSON.stringify(document)) as Document;
  await createClient({
    input: shapeDocument(plain) as Record<string, unknown>,
    output: { path: folder, tsConfigPath: null, module: { extension: ".ts" } },
    logs: { level: "silent" },
    plugins: [
      "@hey-api/client-fetch",
      {
        name: "@hey-api/typescript",
        "~resolvers": {
          // Times in answers are bigint; parameters accept any whole number.
          number: ({ $, schema }) => {
            if (schema.format === "int64") return $.type("bigint");
            return schema.format === GIVEN_SECONDS
              ? $.type.or($.type("bigint"), $.type("number"))
              : undefined;
          },
          // Addresses, hashes and bytes have viem's types for them.
          string: ({ $, schema }) => {
            if (schema.format === ABSENT) return $.type("undefined");
            return schema.pattern?.startsWith("^0x") ? $.type(`\`0x\${string}\``) : undefined;
          },
        },
      },
      { name: "@hey-api/sdk", paramsStructure: "flat", responseStyle: "data" },
    ],
  });
  writeFileSync(join(folder, "lists.gen.ts"), listsOf(plain));
  writeFileSync(join(folder, "limits.gen.ts"), limitsOf(document.paths ?? {}));
}

type Limits = Record<string, number>;
type ListSchema = { maxItems?: number };
type Body = { content?: Record<string, { schema?: { properties?: Record<string, ListSchema> } }> };

/** The generator omits the maximum length of lists in bodies; bulk requests are divided by these numbers. */
function limitsOf(paths: object): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as {
    operationId: string;
    requestBody?: Body;
  }[];
  const limits = operations.flatMap(({ operationId, requestBody }): [string, Limits][] => {
    const fields = requestBody?.content?.["application/json"]?.schema?.properties ?? {};
    const bounded = Object.entries(fields).flatMap(([name, { maxItems }]) =>
      maxItems === undefined ? [] : [[name, maxItems] as const],
    );
    return bounded.length === 0 ? [] : [[operationId, Object.fromEntries(bounded)]];
  });
  const json = JSON.stringify(Object.fromEntries(limits), null, 2);
  return `// Most items of each list in a body, from the OpenAPI document. Written by \`npm run client:generate\`.\n\nexport const maxItems = ${json} as const;\n`;
}
