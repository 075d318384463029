import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** A tool's result as clients of either generation return it. */
export type Result = {
  isError?: boolean;
  content: { type: string; text: string }[];
  _meta?: Record<string, unknown>;
};

export type Listed = {
  name: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  annotations?: object;
};

/** What the tests do with a client of any kind. */
export type AnyClient = {
  instructions: () => string | undefined;
  tools: () => Promise<Listed[]>;
  call: (name: string, args?: Record<string, unknown>, meta?: Record<string, unknown>) => Promise<Result>;
  resources: () => Promise<{ uri: string }[]>;
  read: (uri: string) => Promise<string>;
  prompts: () => Promise<{ name: string }[]>;
  prompt: (name: string, args: Record<string, string>) => Promise<string>;
  /** The negotiated protocol revision. */
  version: () => string | undefined;
  close: () => Promise<void>;
};

const info = { name: "test", version: "1.0.0" };
type Headers = Record<string, string>;

/**
 * The official clients: the new generation with both ways of negotiating a revision, and the old
 * one.
 */
export const clients: Record<string, (url: string, headers?: Headers) => Promise<AnyClient>> = {
  "client 2.4.0 by handshake": (url, headers) => connectNew(new NewClient(info), { url, headers }),
  "client 2.4.0 by discovery": (url, headers) =>
    connectNew(new NewClient(info, { versionNegotiation: { mode: "auto" } }), { url, headers }),
  "sdk 1.32.2": async (url, headers = {}) => {
    const client = new OldClient(info);
    const transport = new OldTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport as never);
    return { ...methodsOf(client as never), version: () => transport.protocolVersion };
  },
};

async function connectNew(
  client: NewClient,
  { url, headers = {} }: { url: string; headers: Headers | undefined },
) {
  await client.connect(new NewTransport(new URL(url), { requestInit: { headers } }));
  return { ...methodsOf(client), version: () => client.getNegotiatedProtocolVersion() };
}

/** Both generations have these methods, under the same names. */
function methodsOf(client: NewClient): Omit<AnyClient, "version"> {
  return {
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools as Listed[],
    call: async (name, args = {}, _meta) =>
      (await client.callTool({ name, arguments: args, ...(_meta && { _meta }) })) as Result,
    resources: async () => (await client.listResources()).resources,
    read: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents;
      return (content as { text: string }).text;
    },
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name, args) => {
      const [message] = (await client.getPrompt({ name, arguments: args })).messages;
      return (message?.content as { text: string } | undefined)?.text ?? "";
    },
    close: () => client.close(),
  };
}
