import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { entities, entityOf } from "../../src/api/features/subgraph/table/entities.ts";
import type { Entity, Field } from "../../src/api/features/subgraph/table/entity.ts";

const file = fileURLToPath(new URL("../../docs/subgraph.md", import.meta.url));
const MARK = "`Transfer` has `transfer` and `transfers`.\n";

const typeOf = (field: Field): string => {
  const isList = field.kind === "derived" ? field.isList : field.kind === "scalar" && field.isList;
  const type = isList ? `[${field.type}!]` : field.type;
  return field.isRequired ? `${type}!` : type;
};

const rowsOf = (fields: readonly [string, Field][]): string[] =>
  fields.map(
    ([name, field]) => `| \`${name}\` | \`${typeOf(field)}\` | ${field.source.replaceAll("|", "\\|")} |`,
  );

/** A type of an interface: the kind of event, and the fields that the interface lacks. */
const memberOf = (entity: Entity, common: readonly string[]): string => {
  const own = Object.entries(entity.fields).filter(([name]) => !common.includes(name));
  const fields = own.map(([name, field]) => `\`${name}\` (\`${typeOf(field)}\`): ${field.source}`);
  return `| \`${entity.name}\` | ${entity.description} | ${fields.join("<br>")} |`;
};

const sectionOf = (entity: Entity): string => {
  const common = Object.keys(entity.fields);
  const members = entity.members?.map((name) => memberOf(entityOf(name), common));
  return [
    `### ${entity.name}`,
    "",
    `${entity.description}.${members ? " An interface with these fields and types:" : ""}`,
    "",
    "| field | type | from |",
    "|---|---|---|",
    ...rowsOf(Object.entries(entity.fields)),
    ...(members ? ["", "| type | when | its other fields |", "|---|---|---|", ...members] : []),
    "",
  ].join("\n");
};

test("docs/subgraph.md lists every type and field", () => {
  const text = readFileSync(file, "utf8");
  const sections = entities.filter((entity) => entity.implements === undefined).map(sectionOf);
  const written = `${text.slice(0, text.indexOf(MARK) + MARK.length)}\n${sections.join("\n")}`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, written);
  expect(readFileSync(file, "utf8"), "run UPDATE_DOCS=1 npx vitest run test/subgraph/document.test.ts").toBe(
    written,
  );
});
