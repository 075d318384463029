import type { OpenApiDocument } from "../../server/http/routes.ts";
import { UNTRUSTED } from "./descriptions.ts";

/** A text that clients may read before they call tools. */
export type Document = { name: string; uri: string; title: string; description: string; text: string };

type Described = { description?: string; enum?: string[]; properties?: Record<string, Described> };

/** The texts, made from the OpenAPI document. */
export function documentsOf(document: OpenApiDocument): Document[] {
  return [
    {
      name: "states",
      uri: "namedex://docs/states",
      title: "States and sources",
      description: "What `availability_status`, `resolver.status`, `source` and `reason` mean",
      text: statesIn(document),
    },
    {
      name: "trust",
      uri: "namedex://docs/trust",
      title: "What is verified, and what is not",
      description: "Which answers are proven by the chain, which are claims, and which content is untrusted",
      text: trustIn(document),
    },
  ];
}

/** Fields whose values are states: the schema that describes them, and the field in it. */
const states: [heading: string, shape: string, field?: string][] = [
  ["`availability_status` of a name", "AvailabilityStatus"],
  ["`resolver.status`", "Resolver", "status"],
  ["`source` of an answer", "AskedDomain", "source"],
  ["`source` of an entry in the history of a text", "TextHistoryEntry", "source"],
  ["`reason` of an ownership period", "OwnershipPeriod", "reason"],
  ["`expired` of a wrapper", "Wrapper", "expired"],
];

function statesIn({ components }: OpenApiDocument): string {
  const shapes = (components?.schemas ?? {}) as Record<string, Described>;
  const sections = states.flatMap(([heading, shape, field]) => {
    const described = field === undefined ? shapes[shape] : shapes[shape]?.properties?.[field];
    if (!described?.description) return [];
    const values = described.enum ? `\n\nOne of: ${described.enum.join(", ")}.` : "";
    return [`## ${heading}\n\n${described.description}.${values}`];
  });
  return ["# States and sources", ...sections, ""].join("\n\n");
}

/** Operations whose descriptions say what their answers prove. */
const proofs: [heading: string, path: string][] = [
  ["Names", "/whois/{name}"],
  ["Records", "/domain/{name}/records"],
  ["History of texts", "/domain/{name}/records/text/{key}/history"],
  ["Primary names", "/address/{address}/primary-name"],
  ["Agents", "/domain/{name}/agent"],
];

/** Lines of the document's description that also apply to tools. */
const notation = /^- \*\*(Sources|Names|Addresses|Numbers|Pages)\b/;

function trustIn({ paths, info }: OpenApiDocument): string {
  const operations = (paths ?? {}) as Record<string, { get?: Described }>;
  const sections = proofs.flatMap(([heading, path]) => {
    const text = operations[path]?.get?.description;
    return text ? [`## ${heading}\n\n${text}`] : [];
  });
  const general = info.description?.split("\n").filter((line) => notation.test(line)) ?? [];
  return [
    "# What is verified, and what is not",
    ...sections,
    `## Untrusted content\n\n${UNTRUSTED}`,
    `## In every answer\n\n${general.join("\n")}`,
    "",
  ].join("\n\n");
}
