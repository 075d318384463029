import * as subgraph from "../../src/api/features/subgraph/bounds.ts";
import { number, RATE_LIMITED, type Section, shares } from "../docs/limitRows.ts";

/** Its rows of the limit tables in docs/security.md. */
export const limits: Section = [
  "Subgraph queries",
  [
    [
      "Query text",
      `${number(subgraph.MAX_QUERY)} characters, ${number(subgraph.MAX_TOKENS)} tokens, ${subgraph.MAX_DEPTH} levels`,
      "Error",
    ],
    [
      "Fields",
      `${subgraph.MAX_ROOTS} of \`Query\`, ${number(subgraph.MAX_FIELDS)} in all; fragments count where used`,
      "Error",
    ],
    ["Aliases of one field of an entity", subgraph.MAX_SAME, "Error"],
    [
      "Introspection",
      `${subgraph.MAX_SCHEMA_LEVELS} levels, ${number(subgraph.MAX_SCHEMA_VALUES)} values`,
      "Error",
    ],
    ["Reads, one per selected relation", subgraph.MAX_STATEMENTS, "Error"],
    [
      "Entities requested (product of `first`)",
      `${number(subgraph.MAX_ENTITIES)}; one credit pays for ${number(subgraph.ENTITIES_OF_CREDIT)}`,
      "Error",
    ],
    ["Entities read", number(subgraph.MAX_READ), "Error"],
    [
      "`first`, and `skip`",
      `${number(subgraph.FIRST.most)}, and ${number(subgraph.MAX_SKIP)}`,
      "Error with the way to continue",
    ],
    ["Blocks named by one query", subgraph.MAX_BLOCKS, "Error"],
    [
      "Logs since the block of a query about the past",
      number(subgraph.MAX_CHANGES),
      "Error: no data for that block",
    ],
    [
      "Filters",
      `${number(subgraph.MAX_CONDITIONS)} conditions and values, ${subgraph.MAX_FILTER_LEVELS} levels, ${subgraph.MAX_RELATIONS} relations each and ${subgraph.MAX_RELATIONS_IN_ALL} in all`,
      "Error",
    ],
    [
      "Searched text",
      `${number(subgraph.MAX_PART)} characters; ${number(subgraph.MAX_FILTER_TEXT)} in all filters`,
      "Error",
    ],
    [
      "Queries at a time, per process",
      `${subgraph.MAX_AT_ONCE.most}, ${subgraph.MAX_AT_ONCE.each} per caller; ${subgraph.MAX_WAITING.most} waiting, ${subgraph.MAX_WAITING.each} per caller`,
      RATE_LIMITED,
    ],
    [
      "Statements at a time",
      shares(subgraph.MAX_STATEMENTS_AT_ONCE),
      "Wait, so that other operations find a connection.",
    ],
  ],
];
