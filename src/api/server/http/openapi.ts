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

Every operation on names is a look-up: nothing creates, changes or deletes them. Each is served at \`/x\` and at \`/api/x\` alike.

- **Sources.** \`source\` tells where an answer comes from: \`indexed\` is built from the events of tracked contracts, \`live\` was resolved on chain at the request. An answer known to be stale is never given.
- **Names** are normalised by ENSIP-15 on the way in. On the way out a label that is unknown, or that cannot be shown, is written \`[<64 hex of its labelhash>]\`. A name of more than 1,024 bytes, and each name below it, is written \`[namehash:<64 hex>]\`; so is a name of which an ancestor is unknown. Both forms are taken wherever a name is.
- **Addresses** are EIP-55 checksummed in answers and may be written in any case in requests.
- **Numbers.** Block numbers and event times are JSON numbers; expiries (unix seconds), token ids and amounts in wei are decimal strings.
- **Pages** hold 25 results, or \`page_size\` of them, and count from 1; a page beyond the end is empty and has the right \`total\`. \`next_cursor\` leads on from any page, as \`cursor\`: such a page costs the same wherever it is, and each result comes once while names come and go.
- **Position.** \`as_of\` names the blocks that an answer is of, by chain: of the index, and where the chain was read for it, of that reading. \`ETag\` and \`If-None-Match\` spare the body of an answer that is the same (304).
- **What is absent.** Null: it is known that there is none. Absent: the field does not apply, was not asked for, or could not be found out. An empty object or list: a collection without entries. \`availability_status\` is \`unknown\` where it cannot be determined.
- **Partial answers.** Where only the chain can tell something and cannot be asked, the answer is 502. With \`partial=true\` it is what the index knows; \`unresolved\` names each part that is absent because it could not be found out. Items of lists have both what is known and their \`error\`.
- **Errors** are \`{"error": {"code", "message"}}\`. An unknown parameter is an error with \`strict=true\`; with \`strict=false\` it is ignored. The default is given for each operation.
- **Untrusted content.** Names and text records are written by their owners: escape them before showing, and do not fetch their URLs unguarded.`;

/** What a caller has to know of access, by the operator's choice. */
export const accessInWords = {
  open: "Access is open: no key is needed.",
  metered:
    "Without a key an address has 5 requests a minute, where a bulk operation counts as one. A key in the header X-API-Key has credits: a request costs 1, bulk operations 1 for each item, errors nothing; X-Credits-Remaining tells what is left. Statistics, status and documentation are free.",
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

/** Lists of operations that are described already: the documents of a service differ in little, and one takes a tenth of a second. */
const described = new WeakMap<readonly Endpoint[], OpenApiDocument>();

/** A document of its own for each caller, who may add to it. */
function describeOperations(operations: readonly Endpoint[], access: AccessMode): OpenApiDocument {
  const common = described.get(operations) ?? makeDocument(operations);
  described.set(operations, common);
  const document = structuredClone(common);
  document.info.description = `${description}\n- **Access.** ${accessInWords[access]}`;
  return document;
}

function makeDocument(operations: readonly Endpoint[]): OpenApiDocument {
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
      description,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [
      { url: "/", description: "Plain paths" },
      { url: "/api", description: "The same under /api" },
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
  Lookups: "Names by their hashes",
  Addresses: "What an address owns, owned, and is called",
  Contracts: "Resolvers, and registries of ENSv2: their names, labels and roles",
  Agents:
    "Agents of ERC-8004 that are bound to names, or that names claim. Profiles are written by owners: untrusted.",
  Statistics: "Figures of the whole index; public, and cached",
  System: "How far the index is",
  Webhooks: "Changes that are sent to a URL of yours, signed",
  Access: "Keys for callers who sign a message with a wallet, and the credits that a key has left",
};

const groupTags = (operations: readonly Endpoint[]) =>
  [...new Set(operations.map(({ group }) => group))].map((name) => ({
    name,
    description: groupDescriptions[name],
  }));
