import { z } from "zod";
import { httpUrlOrOff, onOrOff } from "./kinds.ts";
import { type Kind, optional, type ValuesOf, withDefault } from "./variable.ts";

/** What people see in a browser, and how programs may ask besides the operations. */
export type ExplorerSettings = {
  /** Whether there are pages at `/explore`. */
  hasExplorer: boolean;
  /** Whether there are pictures of names at `/avatar/{name}`. */
  hasAvatars: boolean;
  /** Whether agents have tools at `/mcp`. */
  hasMcp: boolean;
  /** Whether queries of the ENS subgraph are answered at `/subgraph`. */
  hasSubgraph: boolean;
  /** A gateway to IPFS, for pictures and links; null if there is none. */
  ipfsGateway: string | null;
  /** URLs of block explorers by chain id, for links. */
  blockExplorers: ReadonlyMap<number, string>;
};

/** `1=https://etherscan.io,8453=https://basescan.org`, or `off`. */
const urlsOfChains: Kind<ReadonlyMap<number, string>> = {
  expected: "comma-separated https URLs by chain id, such as 1=https://etherscan.io, or off",
  shape: z.string().transform((text, context) => {
    if (text === "off") return new Map<number, string>();
    const items = text.split(",").map((item) => item.trim());
    const wrongItem = items.find((item) => !isUrlOfChain(item));
    if (wrongItem === undefined) return new Map(items.map(splitItem));
    context.addIssue({ code: "custom", params: { wrongItem } });
    return z.NEVER;
  }),
};

const ITEM = /^(\d{1,15})=(https:\/\/\S+)$/;

const isUrlOfChain = (item: string): boolean => URL.canParse(ITEM.exec(item)?.[2] ?? "");

function splitItem(item: string): [number, string] {
  const [, chainId, url] = ITEM.exec(item) ?? [];
  return [Number(chainId), url ?? ""];
}

/** Sources: the chains' own documents. */
const usualExplorers: ReadonlyMap<number, string> = new Map([
  [1, "https://etherscan.io"],
  [10, "https://optimistic.etherscan.io"],
  [8_453, "https://basescan.org"],
  [42_161, "https://arbiscan.io"],
  [59_144, "https://lineascan.build"],
  [534_352, "https://scrollscan.com"],
  [11_155_111, "https://sepolia.etherscan.io"],
  [84_532, "https://sepolia.basescan.org"],
  [59_141, "https://sepolia.lineascan.build"],
]);

export const explorerVariables = {
  EXPLORER: withDefault("on", onOrOff, {
    example: "off",
    meaning: "Serves the explorer at `/` and `/explore`; see [explorer.md](explorer.md).",
  }),
  AVATARS: withDefault("on", onOrOff, {
    example: "off",
    meaning:
      "Serves avatars at `/avatar/{name}` and in the explorer. Namedex fetches them from the hosts in the records ([explorer.md](explorer.md#avatars)). `off`: nothing is fetched, and pages show generated drawings.",
  }),
  MCP: withDefault("on", onOrOff, {
    example: "off",
    meaning: "Serves tools for agents at `/mcp`; see [mcp.md](mcp.md).",
  }),
  SUBGRAPH: withDefault("on", onOrOff, {
    example: "off",
    meaning: "Answers queries of the ENS subgraph at `/subgraph`; see [subgraph.md](subgraph.md).",
  }),
  IPFS_GATEWAY: withDefault("https://ipfs.io", httpUrlOrOff, {
    meaning:
      "IPFS gateway for avatars, and for links to a name's content. It must answer at `/ipfs/…` without redirects. `off`: no avatars from IPFS and no links.",
  }),
  BLOCK_EXPLORERS: optional(urlsOfChains, {
    unset: `${usualExplorers.get(1)}, and its sites for the layer 2s`,
    example: "1=https://etherscan.io,8453=https://basescan.org",
    meaning:
      "Block explorers by chain id, for links to transactions and accounts (`/tx/…`, `/address/…`). A chain that is not listed has no links; `off` removes all.",
  }),
};

export const toExplorerSettings = (known: ValuesOf<typeof explorerVariables>): ExplorerSettings => ({
  hasExplorer: known.EXPLORER === "on",
  hasAvatars: known.AVATARS === "on",
  hasMcp: known.MCP === "on",
  hasSubgraph: known.SUBGRAPH === "on",
  ipfsGateway: known.IPFS_GATEWAY === "off" ? null : known.IPFS_GATEWAY,
  blockExplorers: known.BLOCK_EXPLORERS ?? usualExplorers,
});
