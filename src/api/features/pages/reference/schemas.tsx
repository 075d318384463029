import type { Child } from "hono/jsx";
import type { Schema } from "../described.ts";
import { inline } from "./words.tsx";

/** A field of a body or an answer, by its whole name: `ownership.owner`, `results[].name`. */
export type FieldRow = { name: string; type: Child; isRequired: boolean; about: Child };

const REF = "#/components/schemas/";

/** Where the page of a shape is, from the root of the service. */
export const shapeUrl = (name: string): string => `docs/shapes/${name}`;

const shapeOf = ({ $ref = "" }: Schema): string => $ref.slice(REF.length);

/** The possible schemas, in the document's order; null is one of them. */
const choicesOf = ({ anyOf, oneOf }: Schema): Schema[] | undefined => anyOf ?? oneOf;

/** A reference that was given a description is one of several parts; only one of them has a shape. */
const partOf = (schema: Schema): Schema =>
  schema.allOf?.find((part) => part.$ref !== undefined || part.properties !== undefined) ?? schema;

const words: Record<string, string> = { integer: "whole number", null: "null" };

/** The type of a field in words, with links to the shapes that it names. */
export function typeOf(given: Schema): Child {
  const schema = partOf(given);
  if (schema.$ref !== undefined) return <a href={shapeUrl(shapeOf(schema))}>{shapeOf(schema)}</a>;
  const choices = choicesOf(schema);
  if (choices) return joined(choices.map(typeOf), " or ");
  if (schema.enum)
    return joined(
      schema.enum.map((value) => <code>{String(value)}</code>),
      ", ",
    );
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>;
  if (schema.items) return <>list of {typeOf(schema.items)}</>;
  if (typeof schema.additionalProperties === "object")
    return <>object, under each key: {typeOf(schema.additionalProperties)}</>;
  const types = [schema.type ?? "any value"].flat();
  return joined(
    types.map((type) => words[type] ?? type),
    " or ",
  );
}

const joined = (parts: readonly Child[], between: string): Child =>
  parts.map((part, i) => (
    <>
      {i > 0 && between}
      {part}
    </>
  ));

/** The fields inside a schema, those of objects that are written in it among them. Shapes with a name have their own page. */
export function fieldsOf(given: Schema, prefix = ""): FieldRow[] {
  const schema = partOf(given);
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`);
  const choices = choicesOf(schema);
  if (choices) return firstOfEach(choices.flatMap((choice) => fieldsOf(choice, prefix)));
  if (typeof schema.additionalProperties === "object")
    return fieldsOf(schema.additionalProperties, `${prefix}{key}`);
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    return [{ name, type: typeOf(field), isRequired, about: aboutOf(field) }, ...fieldsOf(field, name)];
  });
}

/** Of several forms of an object each field once. */
const firstOfEach = (rows: FieldRow[]): FieldRow[] =>
  rows.filter(({ name }, i) => rows.findIndex((other) => other.name === name) === i);

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Description, bounds and example of a field or parameter. */
export function aboutOf(schema: Schema, description = descriptionOf(schema)): Child {
  const { minimum, maximum, maxLength, minItems, maxItems, example } = schema;
  const limits = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    minItems !== undefined && `at least ${minItems} items`,
    maxItems !== undefined && `at most ${maxItems} items`,
    schema.default !== undefined && `default ${textOf(schema.default)}`,
  ].filter((limit) => limit !== false);
  return (
    <>
      {description && <span>{inline(description)}</span>}
      {limits.length > 0 && <span class="faint limits">{limits.join("; ")}</span>}
      {example !== undefined && (
        <span class="faint">
          Example: <code>{textOf(example)}</code>
        </span>
      )}
    </>
  );
}

const descriptionOf = (schema: Schema): string | undefined =>
  schema.description ?? schema.allOf?.find(({ description }) => description !== undefined)?.description;
