import { Ajv } from "@modelcontextprotocol/server/validators/ajv";
import type { OpenApiDocument } from "../../src/api/server/http/routes.ts";
import { eventFields, fieldsOfEveryEvent } from "./eventFields.ts";
import { ABSENT, type Document, type Schema, shapeDocument } from "./shape.ts";

const times = /^(.*_timestamp|.*_at|.*_until|.*_since|timestamp|second|since|until|next_attempt)$/;

/** What an answer of the client and the JSON it was read from have in common: nulls and `known` omitted, times as digits. */
export function comparable(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => comparable(one));
  if (typeof value === "object" && value !== null) {
    const kept = Object.entries(value).filter(([name, one]) => one !== null && name !== "known");
    return Object.fromEntries(kept.map(([name, one]) => [name, comparable(one, name)]));
  }
  if (typeof value === "bigint") return String(value);
  if (!times.test(field)) return value;
  const milliseconds = typeof value === "string" && value.includes("T") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(milliseconds) ? String(value) : String(Math.floor(milliseconds / 1_000));
}

/** A bigint as it can stand in JSON, unlike any other value. */
const marked = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "bigint" ? { bigint: String(one) } : one)));

const BIGINT: Schema = { type: "object", required: ["bigint"] };

/** The shaped document as JSON Schema: bigint is what {@link marked} makes of it. */
function markSchemas(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(markSchemas);
  if (typeof schema !== "object" || schema === null) return schema;
  const { format, example: _, ...rest } = schema as Schema & { example?: unknown };
  if (format === "int64") return BIGINT;
  if (format === ABSENT) return { not: {} };
  return Object.fromEntries(Object.entries(rest).map(([word, value]) => [word, markSchemas(value)]));
}

/** Returns the faults of operations' answers, by their types: none in a right one. */
export function createChecker(
  document: OpenApiDocument,
): (path: string, method: string, answer: unknown) => string[] {
  const shaped = shapeDocument(JSON.parse(JSON.stringify(document)) as Document);
  const ajv = new Ajv({ strict: false, allErrors: false, validateSchema: false });
  ajv.addSchema({ $id: "document", ...(markSchemas({ components: shaped.components }) as object) });
  return (path, method, answer) => {
    const schema = shaped.paths?.[path]?.[method]?.responses?.["200"]?.content?.["application/json"]?.schema;
    if (schema === undefined) return typeof answer === "string" ? [] : ["no JSON is declared"];
    const json = JSON.stringify(markSchemas(schema)).replaceAll('"#/', '"document#/');
    const isValid = ajv.compile(JSON.parse(json));
    return isValid(marked(answer))
      ? []
      : (isValid.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
  };
}

/** Fields of an event that its type does not have. */
export function foreignFields(event: { type?: string | undefined }): string[] {
  const { type } = event;
  if (type === undefined) return [];
  const known = [...fieldsOfEveryEvent, ...eventFields[type as keyof typeof eventFields], "type"];
  return Object.keys(event).filter((field) => !known.includes(field));
}
