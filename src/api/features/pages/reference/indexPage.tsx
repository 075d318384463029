import type { OpenApiDocument } from "../../../server/http/routes.ts";
import { Card } from "../../explorer/parts/card.tsx";
import { type Listed, listOperations, shapesOf } from "../described.ts";
import type { FramedPage } from "../frame.tsx";
import type { Offers } from "../home.ts";
import { operationUrl, Shape } from "./operationPage.tsx";
import { shapeUrl } from "./schemas.tsx";
import { Paragraphs } from "./words.tsx";

type Plan = {
  document: OpenApiDocument;
  /** Whether callers can get a key at `signup`. */
  hasSignup: boolean;
  offers: Offers;
};

/** The first page of the reference: what holds for all operations, and each of them in a line. */
export function referenceIndex({ document, hasSignup, offers }: Plan): FramedPage {
  const operations = listOperations(document);
  return {
    title: "API reference",
    description: "Every operation of this Namedex, with its parameters, answers, errors and examples.",
    path: "docs",
    body: (
      <>
        <div class="heading">
          <h1>API reference</h1>
          <p class="lead">
            {`${operations.length} operations, JSON over HTTP. Each page has examples for curl${offers.mcp ? ", the TypeScript client and MCP" : " and the TypeScript client"}.`}
          </p>
          <p class="actions">
            {hasSignup && (
              <a class="button first" href="signup">
                Get a key
              </a>
            )}
            <a class="button" href="openapi.json">
              openapi.json
            </a>
            <a class="button" href="llms.txt">
              llms.txt
            </a>
            {offers.subgraph && (
              <a class="button" href="subgraph">
                GraphiQL
              </a>
            )}
          </p>
        </div>
        <nav class="choices" aria-label="Groups of operations">
          {(document.tags ?? []).map(({ name }) => (
            <a href={`docs#${name}`}>{name}</a>
          ))}
        </nav>
        {(document.tags ?? []).map(({ name, description }) => (
          <Card id={name} title={name} isWide>
            <p class="faint">{description?.replace(/\.?$/, ".")}</p>
            <ul class="operations">
              {operations
                .filter(({ operation }) => operation.tags?.includes(name))
                .map((listed) => (
                  <Line listed={listed} />
                ))}
            </ul>
          </Card>
        ))}
        <Card id="all" title="Rules for all operations" isWide>
          <div class="prose">
            <Paragraphs text={document.info.description ?? ""} />
          </div>
        </Card>
      </>
    ),
  };
}

const Line = ({ listed }: { listed: Listed }) => (
  <li>
    <a href={operationUrl(listed)}>{listed.operation.summary}</a>
    <span class="route">
      <span class={`method ${listed.method.toLowerCase()}`}>{listed.method}</span>{" "}
      <span class="mono">{listed.path}</span>
    </span>
  </li>
);

/** One shape, with its fields. */
export const shapePage = (document: OpenApiDocument, name: string): FramedPage => ({
  title: `${name}: API`,
  description: `The fields of ${name}.`,
  path: shapeUrl(name),
  body: (
    <>
      <div class="heading">
        <p>
          <a href="docs">API reference</a>
        </p>
        <h1>{name}</h1>
      </div>
      <Card id="fields" title="Fields" isWide>
        <Shape schema={shapesOf(document)[name] ?? {}} caption={`Fields of ${name}`} />
      </Card>
    </>
  ),
});
