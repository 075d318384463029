import {
  type Tool as ListedTool,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Caller } from "../../server/access/access.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import { openApiDocument, version } from "../../server/http/openapi.ts";
import { type Answering, answerCall } from "./call.ts";
import { FAILED, UNTRUSTED } from "./descriptions.ts";
import { type Document, documentsOf } from "./documents.ts";
import { prompts } from "./prompts.ts";
import { type Tool, toolsOf } from "./tools.ts";

const instructions = `Namedex answers questions about names of the Ethereum Name Service: who owns a name, when it expires, what it points to, its history, and what an address owns or is called. All tools are read-only. Begin with \`whois\` for a name and \`get_address_portfolio\` for an address; ask for many at once with \`whois_bulk\` and \`get_primary_names\`. \`source\` says whether an answer comes from the index or \`live\` from the chain, \`as_of\` names the blocks it reflects. Where access is metered, \`_meta["namedex/access"]\` of a result says how much is left. ${FAILED} Times are Unix seconds, with the day in UTC beside them (\`expiry_date\`). Lists leave out hashes that follow from the name. The fields of each answer are described at \`/docs\` of this server. ${UNTRUSTED}`;

/** Tools, documents and prompts never change while the program runs. */
const unchanging = { listChanged: false };

/** Makes the server of one request, for its caller. What is the same for all callers is made once. */
export function serversFor(
  operations: readonly Endpoint[],
  answering: Answering,
): (caller: Caller) => McpServer {
  const tools = toolsOf(operations);
  const documents = documentsOf(openApiDocument(operations));
  return (caller) => {
    const server = new McpServer(
      { name: "namedex", title: "Namedex", version },
      { instructions, capabilities: { tools: unchanging, resources: unchanging, prompts: unchanging } },
    );
    addTools(server, tools, { caller, answering });
    for (const document of documents) addDocument(server, document);
    addPrompts(server);
    return server;
  };
}

/**
 * The tools, by the protocol's own two requests: the library's `registerTool` has error messages of its own for wrong
 * arguments and for calls that have to be paid for.
 */
function addTools(
  { server }: McpServer,
  tools: readonly Tool[],
  { caller, answering }: { caller: Caller; answering: Answering },
): void {
  const definitions = tools.map(({ definition }) => definition as ListedTool);
  server.setRequestHandler("tools/list", () => ({ tools: definitions }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (!tool) throw unknownTool(definitions.map(({ name }) => name));
    return answerCall({ tool, given: params.arguments ?? {}, meta: mcpReq._meta, caller }, answering);
  });
}

const unknownTool = (names: string[]) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `No tool has this name; there are: ${names.join(", ")}.`,
  );

function addDocument(server: McpServer, { name, uri, title, description, text }: Document): void {
  const mimeType = "text/markdown";
  const content = { contents: [{ uri, mimeType, text }] };
  server.registerResource(name, uri, { title, description, mimeType }, () => content);
}

function addPrompts(server: McpServer): void {
  for (const { name, title, description, argument, write } of prompts) {
    const argsSchema = z.object({ [argument.name]: z.string().max(1_024).describe(argument.description) });
    server.registerPrompt(name, { title, description, argsSchema }, (given) => ({
      messages: [{ role: "user", content: { type: "text", text: write(given[argument.name] ?? "") } }],
    }));
  }
}
