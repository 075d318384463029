import { type Endpoint, toolViewsOf } from "../../../server/http/endpoint.ts";
import { Card, Facts } from "../../explorer/parts/card.tsx";
import { Copy } from "../../explorer/parts/hash.tsx";
import { Icon } from "../../explorer/parts/icon.tsx";
import { ItemTable } from "../../explorer/parts/table.tsx";
import { JSON_TYPE, type Listed, type Schema, schemaOf } from "../described.ts";
import type { FramedPage } from "../frame.tsx";
import { answerText } from "./answers.ts";
import { clientOf, curlOf, exampleRequest, fetchOf, toolCallOf } from "./examples.ts";
import { aboutOf, type FieldRow, fieldsOf, typeOf } from "./schemas.tsx";
import { TryIt } from "./tryIt.tsx";
import { inline, Paragraphs } from "./words.tsx";

/** Where the page of an operation is, from the root of the service. */
export const operationUrl = ({ operation }: Listed): string => `docs/${operation.operationId}`;

type Plan = {
  listed: Listed;
  endpoint: Endpoint;
  /** Whether requests have a price here. */
  isMetered: boolean;
  hasMcp: boolean;
};

/** One operation: what it takes, what it answers, its errors, and how to ask it. */
export function operationPage(plan: Plan): FramedPage {
  const { listed, endpoint } = plan;
  const { operation, method, path } = listed;
  const title = operation.summary ?? operation.operationId;
  return {
    title: `${title}: API`,
    description: `${method} ${path}: ${title}.`,
    path: operationUrl(listed),
    scripts: ["docs/explorer.js", "docs/reference.js"],
    body: (
      <>
        <div class="heading">
          <p>
            <a href="docs">API reference</a> · <a href={`docs#${endpoint.group}`}>{endpoint.group}</a>
          </p>
          <h1>{title}</h1>
          <p class="route">
            <span class={`method ${method.toLowerCase()}`}>{method}</span> <span class="mono">{path}</span>
            <Copy text={path} what="path" />
          </p>
        </div>
        <div class="prose">
          <Paragraphs text={operation.description ?? ""} />
        </div>
        <Terms {...plan} />
        <Parameters listed={listed} />
        <Body listed={listed} />
        <Examples {...plan} />
        <TryIt listed={listed} isMetered={plan.isMetered || endpoint.needsKey === true} />
        <Answer listed={listed} />
        <Errors listed={listed} />
      </>
    ),
  };
}

const costOf = ({ cost, needsKey }: Endpoint): string => {
  if (cost === 0) return needsKey ? "free, with a key" : "free";
  if (typeof cost === "number") return cost === 1 ? "1 credit" : `${cost} credits`;
  return "1 credit for each item";
};

const Terms = ({ endpoint, isMetered }: Plan) => {
  const { cacheSeconds, index } = endpoint;
  const [tool] = toolViewsOf(endpoint);
  return (
    <Card id="terms" title="At a glance">
      <Facts
        facts={[
          isMetered && ["Costs", costOf(endpoint)],
          ["MCP tool", tool === undefined ? "none" : <code>{tool.name}</code>],
          cacheSeconds !== undefined && ["Cached for", `${cacheSeconds} seconds`],
          [
            "Index must be",
            index === undefined
              ? "complete and current"
              : index === "any state"
                ? "in any state"
                : "not needed",
          ],
        ]}
      />
    </Card>
  );
};

const placesInWords: Record<string, string> = { path: "in the path", query: "in the query" };

const Parameters = ({ listed: { operation } }: { listed: Listed }) => {
  const { parameters = [] } = operation;
  if (parameters.length === 0) return null;
  return (
    <Card id="parameters" title="Parameters" isWide>
      <ItemTable
        caption="Parameters"
        items={parameters}
        columns={[
          { title: "Name", cell: (one) => <code>{one.name}</code> },
          {
            title: "Where",
            cell: (one) => (
              <>
                {placesInWords[one.in] ?? one.in}
                {one.required && <strong class="needed"> required</strong>}
              </>
            ),
          },
          { title: "Type", cell: (one) => typeOf(one.schema ?? {}) },
          { title: "Meaning", cell: (one) => aboutOf(one.schema ?? {}, one.description) },
        ]}
      />
    </Card>
  );
};

type FieldsProps = { caption: string; rows: readonly FieldRow[]; marks: string };

/** Fields of a body or an answer. */
const Fields = ({ caption, rows, marks }: FieldsProps) => (
  <ItemTable
    caption={caption}
    items={rows}
    columns={[
      { title: "Field", cell: ({ name }) => <code>{name}</code> },
      {
        title: "Type",
        cell: ({ type, isRequired }) => (
          <>
            {type}
            {!isRequired && <span class="faint">{` (${marks})`}</span>}
          </>
        ),
      },
      { title: "Meaning", cell: ({ about }) => about },
    ]}
  />
);

const Body = ({ listed: { operation } }: { listed: Listed }) =>
  operation.requestBody === undefined ? null : (
    <Card id="body" title="Body" aside={<span class="faint">{JSON_TYPE}</span>} isWide>
      <Fields
        caption="Fields of the body"
        rows={fieldsOf(schemaOf(operation.requestBody))}
        marks="optional"
      />
    </Card>
  );

/** A schema: its fields, or its kind if it has none. */
export const Shape = ({ schema, caption }: { schema: Schema; caption: string }) => {
  const rows = fieldsOf(schema);
  return (
    <>
      <p>{typeOf(schema)}</p>
      {rows.length > 0 && <Fields caption={caption} rows={rows} marks="not always present" />}
    </>
  );
};

const Answer = ({ listed: { operation } }: { listed: Listed }) => {
  const answer = operation.responses["200"] ?? {};
  const [form = JSON_TYPE] = Object.keys(answer.content ?? {});
  const example = answerText(operation.operationId);
  return (
    <Card id="answer" title="Answer" aside={<span class="faint">{`200, ${form}`}</span>} isWide>
      {example && <Code id="example" title="Example from the demo, lists shortened" text={example} />}
      <Shape schema={schemaOf(answer)} caption="Fields of the answer" />
    </Card>
  );
};

const Errors = ({ listed: { operation } }: { listed: Listed }) => (
  <Card id="errors" title="Errors" isWide>
    <Facts
      facts={Object.entries(operation.responses)
        .filter(([status]) => status !== "200")
        .map(([status, { description = "" }]) => [
          status,
          <div class="stack">
            {description.split("\n\n").map((line) => (
              <p>{inline(line)}</p>
            ))}
          </div>,
        ])}
    />
  </Card>
);

const Examples = ({ listed, endpoint, isMetered, hasMcp }: Plan) => {
  const plan = { listed, needsKey: isMetered && (endpoint.needsKey === true || endpoint.cost !== 0) };
  const call = toolCallOf(endpoint, listed);
  const { path } = exampleRequest(listed);
  return (
    <Card id="examples" title="Examples" isWide>
      <Code id="curl" title="curl" text={curlOf(plan)} />
      <Code id="fetch" title="fetch" text={fetchOf(plan)} />
      <Code id="client" title="TypeScript, namedex-client" text={clientOf(plan)} />
      {hasMcp && call === null && <p class="faint">No MCP tool uses this operation.</p>}
      {hasMcp && call !== null && <Code id="mcp" title={`MCP, tool ${call.tool}`} text={call.call} />}
      {listed.method === "GET" && !endpoint.needsKey && (
        <p>
          <a href={path}>
            <Icon name="code" /> Open this example
          </a>
        </p>
      )}
    </Card>
  );
};

type CodeProps = { id: string; title: string; text: string };

/** A program to copy. */
const Code = ({ id, title, text }: CodeProps) => (
  <figure class="code">
    <figcaption id={id}>
      {title} <Copy text={text} what={`example of ${title}`} />
    </figcaption>
    <section class="scroll" tabindex={0} aria-labelledby={id}>
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  </figure>
);
