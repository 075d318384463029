import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { entities } from "../../src/api/features/subgraph/table/entities.ts";
import { type Entity, type Field, rootOf } from "../../src/api/features/subgraph/table/entity.ts";

const file = fileURLToPath(new URL("../../docs/subgraph.md", import.meta.url));
const MARK = "from which schema, filters and statements come.\n";

const typeOf = (field: Field): string => {
  const isList = field.kind === "derived" ? field.isList : field.kind === "scalar" && field.isList;
  const type = isList ? `[${field.type}!]` : field.type;
  return field.isRequired ? `${type}!` : type;
};

const sectionOf = (entity: Entity): string => {
  const { one, many } = rootOf(entity);
  const what = entity.members
    ? `Interface of ${entity.members.map((name) => `\`${name}\``).join(", ")}.`
    : (entity.implements ?? "") && `Implements \`${entity.implements}\`.`;
  const rows = Object.entries(entity.fields).map(
    ([name, field]) => `| \`${name}\` | \`${typeOf(field)}\` | ${field.source.replaceAll("|", "\\|")} |`,
  );
  return [
    `### ${entity.name}`,
    "",
    `${entity.description}. \`${one}\`, \`${many}\`. ${what}`.trim(),
    "",
    "| field | type | from |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
};

test("docs/subgraph.md lists every type and field", () => {
  const text = readFileSync(file, "utf8");
  const written = `${text.slice(0, text.indexOf(MARK) + MARK.length)}\n${entities.map(sectionOf).join("\n")}`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, written);
  expect(readFileSync(file, "utf8"), "run UPDATE_DOCS=1 npx vitest run test/subgraph/document.test.ts").toBe(
    written,
  );
});
