import { readFileSync } from "node:fs";
import { asOf } from "./asOf.ts";
import { describeAsOf } from "./asOfDocument.ts";
import type { Endpoint } from "./endpoint.ts";
import { type PriceOf, withPrices } from "./prices.ts";
import { type OpenApiDocument, routesOf } from "./routes.ts";

type PackageFile = { version: string };

/** Version of this program, as answers and documentation give it. */
export const version = (
  JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")) as PackageFile
).version;

const description = `An open-source, self-hosted index of the Ethereum Name Service.

Operations on names only read: nothing creates, changes or deletes a name. Each is available at \`/x\` and \`/api/x\`.

- **Sources.** \`source\` says where an answer comes from: \`indexed\` from the events of tracked contracts, \`live\` read on chain for the request. Answers known to be stale are never returned.
- **Names** in requests are normalised by ENSIP-15. In answers, a label that is unknown or cannot be displayed is written \`[<64 hex of its labelhash>]\`. A name over 1,024 bytes, each name below it, and a name with an unknown ancestor are written \`[namehash:<64 hex>]\`. Requests accept both forms.
- **Addresses** are EIP-55 checksummed in answers, and accepted in any case in requests.
- **Numbers.** Block numbers and event times are JSON numbers; expiries (unix seconds), token ids and amounts in wei are decimal strings.
- **Pages** have 25 results, or \`page_size\`, and count from 1; a page beyond the end is empty and has the correct \`total\`. \`next_cursor\`, sent as \`cursor\`, continues after any page: cursor pages are equally fast everywhere, and each result comes once while names come and go.
- **Position.** \`as_of\` lists the blocks that the answer covers, by chain: the index's and, if the chain was read, the block of that reading. \`ETag\` and \`If-None-Match\` save the body of an unchanged answer (304).
- **What is absent.** Null: known not to exist. Absent: does not apply, was not requested, or could not be found out. Empty object or list: a collection without entries. \`availability_status\` is \`unknown\` if it cannot be determined.
- **Partial answers.** If only the chain can answer and cannot be asked, the request fails with 502. With \`partial=true\` it returns what the index knows, and \`unresolved\` lists each part that could not be found out. List items have both what is known and their \`error\`.
- **Errors** are \`{"error": {"code", "message"}}\`. Unknown parameters are an error with \`strict=true\`, and ignored with \`strict=false\`. Each operation lists its default. An empty query parameter counts as left out; only \`keys\` and \`record_key\` take the empty text, which is a key.
- **Untrusted content.** Names and text records are written by their owners: escape them for display, and do not fetch their URLs without protection.`;

/** What a caller has to know of access, by the operator's choice. */
export const accessInWords = {
  open: "Access is open: no key is needed.",
  metered:
    "Without a key, an address has 5 requests a minute; a bulk request counts as one. A key in the header X-API-Key has credits: a request costs 1, a bulk request 1 per item, an error nothing; X-Credits-Remaining gives the rest. Statistics, status and documentation are free.",
};

/** Who is answered, as the operator chose. */
export type AccessMode = keyof typeof accessInWords;

/** The OpenAPI 3.1 document of the operations, made from their declarations. */
export function openApiDocument(
  operations: readonly Endpoint[],
  access: AccessMode = "open",
  offer?: PriceOf,
): OpenApiDocument {
  const document = describeOperations(operations, access);
  if (access === "open") return document;
  const keyed = withKeys(document, operations);
  return offer ? withPrices(keyed, operations, offer) : keyed;
}

function describeOperations(operations: readonly Endpoint[], access: AccessMode): OpenApiDocument {
  const never = () => {
    throw new Error("This application exists only for its OpenAPI document");
  };
  const routes = routesOf(operations, { executeOperation: never, callerOf: never });
  routes.openAPIRegistry.register("AsOf", asOf);
  const document = routes.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Namedex",
      version,
      description: `${description}\n- **Access.** ${accessInWords[access]}`,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [
      { url: "/", description: "Plain paths" },
      { url: "/api", description: "The same paths under /api" },
    ],
    tags: groupTags(operations),
  });
  return describeAsOf(document, operations);
}

/** Says which operations accept a key. Almost none requires one: without a key the free requests remain. */
function withKeys(document: OpenApiDocument, operations: readonly Endpoint[]): OpenApiDocument {
  for (const { method, path, needsKey } of operations.filter(
    ({ cost, needsKey }) => needsKey || cost !== 0,
  )) {
    const operation = document.paths?.[path]?.[method];
    if (operation) operation.security = needsKey ? [{ ApiKey: [] }] : [{ ApiKey: [] }, {}];
  }
  const ApiKey = { type: "apiKey", in: "header", name: "X-API-Key", description: accessInWords.metered };
  document.components = { ...document.components, securitySchemes: { ApiKey: ApiKey as never } };
  return document;
}

const groupDescriptions: Record<Endpoint["group"], string> = {
  Domains: "Names: owner, expiry, state, records, history",
  Lookups: "Names by hash",
  Addresses: "Current, former and primary names of an address",
  Contracts: "Resolvers and ENSv2 registries: names, labels and roles",
  Agents: "ERC-8004 agents bound to names, or claimed by names. Profiles are written by owners: untrusted.",
  Statistics: "Figures of the whole index; public and cached",
  System: "Indexing progress",
  Webhooks: "Changes sent to your URL, signed",
  Access: "Keys for a message signed with a wallet, and the credits of a key",
};

const groupTags = (operations: readonly Endpoint[]) =>
  [...new Set(operations.map(({ group }) => group))].map((name) => ({
    name,
    description: groupDescriptions[name],
  }));
